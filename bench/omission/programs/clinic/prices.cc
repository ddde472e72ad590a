// What is due.
#include "clinic.h"

namespace {

struct Reduced {
    int cents;

    int operator()(std::monostate) const { return cents; }
    int operator()(Percent percent) const { return cents - cents * percent.part / 100; }
    int operator()(Fixed fixed) const { return cents > fixed.cents ? cents - fixed.cents : 0; }
};

} // namespace

int Prices::due(const Visit &visit) const
{
    int cents = visit.cents();
    if (visit.is_urgent)
        cents += 2500;
    cents -= cents * visit.rebate / 100;
    auto found = discounts.find(visit.patient);
    if (found == discounts.end())
        return cents;
    return std::visit(Reduced{cents}, found->second);
}

std::string euros(int cents, char point)
{
    std::string text = std::to_string(cents);
    while (text.size() < 3)
        text.insert(0, "0");
    text.insert(text.size() - 2, 1, point);
    return text;
}
