#include "kiosk.h"

#include <algorithm>
#include <cstdlib>

void Network::add(const std::string &line, const Stop &stop)
{
    std::vector<Stop> &stops = lines[line];
    for (const Stop &known : stops) {
        if (known.name == stop.name)
            throw std::invalid_argument(line + " stops twice at " + stop.name);
    }
    stops.push_back(stop);
}

bool Network::has(const std::string &name) const
{
    for (const auto &line : lines) {
        for (const Stop &stop : line.second) {
            if (stop.name == name)
                return true;
        }
    }
    return false;
}

const Stop &Network::stop(const std::string &name) const
{
    for (const auto &line : lines) {
        for (const Stop &stop : line.second) {
            if (stop.name == name)
                return stop;
        }
    }
    throw std::out_of_range("no stop " + name);
}

int Network::distance(const std::string &from, const std::string &to) const
{
    int best = -1;
    for (const auto &line : lines) {
        int start = -1;
        int end = -1;
        for (const Stop &stop : line.second) {
            if (stop.name == from)
                start = stop.minutes;
            if (stop.name == to)
                end = stop.minutes;
        }
        if (start < 0 || end < 0)
            continue;
        int minutes = std::abs(end - start);
        if (best < 0 || minutes < best)
            best = minutes;
    }
    if (best < 0)
        best = stop(from).minutes + stop(to).minutes;
    return best;
}

int Network::zones(const std::string &from, const std::string &to) const
{
    int first = static_cast<int>(stop(from).zone);
    int last = static_cast<int>(stop(to).zone);
    return std::abs(last - first) + 1;
}
