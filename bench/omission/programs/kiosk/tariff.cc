#include "kiosk.h"

#include <sstream>

static const int ZONE_CENTS = 140;
static const int BASE_CENTS = 90;

int ZoneTariff::cents(const Network &network, const Trip &trip) const
{
    int zones = network.zones(trip.from, trip.to);
    return ZONE_CENTS + (zones - 1) * 80;
}

std::string ZoneTariff::name() const
{
    return "zones";
}

int DistanceTariff::cents(const Network &network, const Trip &trip) const
{
    int minutes = network.distance(trip.from, trip.to);
    return BASE_CENTS + minutes * each;
}

std::string DistanceTariff::name() const
{
    return "distance " + std::to_string(each);
}

std::unique_ptr<Tariff> tariff_of(const std::string &word)
{
    if (word == "zones")
        return std::make_unique<ZoneTariff>();
    if (word.compare(0, 5, "each:") == 0)
        return std::make_unique<DistanceTariff>(std::stoi(word.substr(5)));
    throw std::invalid_argument("no tariff " + word);
}

static int of_child(int cents, const Rider &rider, const Trip &)
{
    return rider.age < 14 ? cents / 2 : cents;
}

static int at_night(int cents, const Rider &, const Trip &trip)
{
    if (trip.hour >= 22 || trip.hour < 5)
        cents += 60;
    return cents;
}

static int of_group(int cents, const Rider &, const Trip &trip)
{
    int total = cents * trip.count;
    if (trip.count >= 5)
        total -= cents;
    return total;
}

Pricing::Pricing() : tariff(new ZoneTariff)
{
    add_rule("child", of_child);
    add_rule("night", at_night);
    add_rule("group", of_group);
}

void Pricing::use(std::unique_ptr<Tariff> chosen)
{
    tariff = std::move(chosen);
}

void Pricing::add_rule(const std::string &name, Rule rule)
{
    rules.push_back({name, rule});
}

int Pricing::price(const Network &network, const Rider &rider, const Trip &trip) const
{
    int cents = tariff->cents(network, trip);
    for (const auto &rule : rules)
        cents = rule.second(cents, rider, trip);
    return cents;
}

std::string Pricing::describe() const
{
    std::ostringstream out;
    out << tariff->name();
    for (const auto &rule : rules)
        out << ", " << rule.first;
    return out.str();
}
