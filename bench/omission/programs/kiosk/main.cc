#include "kiosk.h"

#include <iostream>
#include <sstream>

static Network network;
static Pricing pricing;
static Ledger ledger;
static std::map<std::string, Rider> riders;

std::vector<std::string> words_of(const std::string &line)
{
    std::istringstream in(line);
    std::vector<std::string> words;
    std::string word;
    while (in >> word)
        words.push_back(word);
    return words;
}

static Zone zone_of(const std::string &word)
{
    if (word == "inner")
        return Zone::Inner;
    if (word == "middle")
        return Zone::Middle;
    return Zone::Outer;
}

static void take_stop(const std::vector<std::string> &words)
{
    Stop stop = {words.at(2), zone_of(words.at(3)), std::stoi(words.at(4))};
    network.add(words.at(1), stop);
}

static void take_rider(const std::vector<std::string> &words)
{
    Rider rider = {words.at(2), std::stoi(words.at(3)), 0};
    riders[words.at(1)] = rider;
}

static void take_ride(const std::vector<std::string> &words)
{
    Rider &rider = riders.at(words.at(1));
    Trip trip = {words.at(2), words.at(3), 12, 1};
    if (words.size() > 4)
        trip.hour = std::stoi(words[4]);
    if (words.size() > 5)
        trip.count = std::stoi(words[5]);
    int cents = pricing.price(network, rider, trip);
    rider.rides += trip.count;
    ledger.note({words[1], trip, cents});
}

static void report()
{
    std::cout << pricing.describe() << "\n";
    for (const auto &sum : ledger.by_rider()) {
        const Rider &rider = riders.at(sum.first);
        std::cout << padded(sum.first, 8) << rider.rides << " rides " << money(sum.second) << "\n";
    }
    for (const Sale &sale : ledger.largest(3))
        std::cout << sale.trip.from << " to " << sale.trip.to << ": " << money(sale.cents) << "\n";
    std::cout << ledger.size() << " sales, " << money(ledger.total()) << "\n";
}

static void execute(const std::vector<std::string> &words)
{
    if (words[0] == "stop")
        take_stop(words);
    else if (words[0] == "rider")
        take_rider(words);
    else if (words[0] == "ride")
        take_ride(words);
    else if (words[0] == "tariff")
        pricing.use(tariff_of(words.at(1)));
    else if (words[0] == "report")
        report();
    else
        throw std::invalid_argument("no command " + words[0]);
}

int main()
{
    std::string line;
    int errors = 0;
    while (std::getline(std::cin, line)) {
        std::vector<std::string> words = words_of(line);
        if (words.empty() || words[0][0] == '#')
            continue;
        try {
            execute(words);
        } catch (const std::exception &error) {
            std::cout << "error: " << error.what() << "\n";
            errors++;
        }
    }
    return errors > 1;
}
