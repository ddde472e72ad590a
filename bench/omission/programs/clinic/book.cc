// The book of visits.
#include "clinic.h"

#include <iomanip>
#include <sstream>

std::string text_of(const Day &day)
{
    std::ostringstream text;
    text << std::setfill('0') << std::setw(2) << day.day << '.' << std::setw(2) << day.month << '.';
    return text.str();
}

Taken::Taken(const Slot &slot) : Refused(slot.doctor + " is busy on " + text_of(slot.day)) {}

Visit::Visit(const Visit &other)
    : patient(other.patient), minutes(other.minutes), rebate(other.rebate), is_urgent(other.is_urgent)
{
}

void Book::add(const Slot &slot, std::unique_ptr<Visit> visit)
{
    if (visits.count(slot))
        throw Taken(slot);
    minutes_of[slot.doctor] += visit->minutes;
    visits.emplace(slot, std::move(visit));
}

void Book::move(const Slot &from, const Slot &to)
{
    auto found = visits.find(from);
    if (found == visits.end())
        throw Refused("nothing to move on " + text_of(from.day));
    if (visits.count(to))
        throw Taken(to);
    auto node = visits.extract(found);
    minutes_of[from.doctor] -= node.mapped()->minutes;
    minutes_of[to.doctor] += node.mapped()->minutes;
    node.key() = to;
    visits.insert(std::move(node));
}

// The same visit again, some days later each time; after the 28th of a month comes the next one.
void Book::repeat(const Slot &slot, int times, int days)
{
    const Visit *first = at(slot);
    if (!first)
        throw Refused("nothing to repeat on " + text_of(slot.day));
    Slot next = slot;
    for (int time = 0; time < times; time++) {
        next.day.day += days;
        while (next.day.day > 28) {
            next.day.day -= 28;
            next.day.month++;
        }
        add(next, first->copy());
    }
}

void Book::cancel(const std::string &patient)
{
    for (auto at = visits.begin(); at != visits.end();) {
        if (at->second->patient == patient) {
            minutes_of[at->first.doctor] -= at->second->minutes;
            at = visits.erase(at);
        } else {
            ++at;
        }
    }
}

const Visit *Book::at(const Slot &slot) const
{
    auto found = visits.find(slot);
    return found == visits.end() ? nullptr : found->second.get();
}

int Book::load(const std::string &doctor) const
{
    auto found = minutes_of.find(doctor);
    return found == minutes_of.end() ? 0 : found->second;
}

void Book::each(const std::function<void(const Slot &, const Visit &)> &visitor) const
{
    for (const auto &[slot, visit] : visits)
        visitor(slot, *visit);
}
