// A table of roads: lines "FROM TO KM" on standard input; the arguments are where to go.
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

struct NoRoad : std::runtime_error {
    using std::runtime_error::runtime_error;
};

static std::map<std::string, std::map<std::string, int>> roads;

static int length(const std::string &from, const std::string &to) {
    auto place = roads.find(from);
    if (place == roads.end())
        throw NoRoad("unknown-place");
    auto road = place->second.find(to);
    if (road == place->second.end())
        throw NoRoad("no-road");
    return road->second;
}

int main(int argc, char **argv) {
    std::string line;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string from, to, km;
        if (!(words >> from >> to >> km)) {
            std::cout << "short-line\n";
            continue;
        }
        try {
            int distance = std::stoi(km);
            if (distance <= 0)
                throw std::out_of_range("no-distance");
            roads[from][to] = distance;
        } catch (const std::invalid_argument &) {
            std::cout << "not-a-number\n";
        } catch (const std::out_of_range &) {
            std::cout << "bad-distance\n";
        }
    }
    try {
        int all = 0;
        for (int i = 1; i + 1 < argc; i++)
            all += length(argv[i], argv[i + 1]);
        std::cout << (all > 100 ? "long" : all == 0 ? "here" : "short") << "\n";
    } catch (const NoRoad &error) {
        std::cout << error.what() << "\n";
        return 1;
    }
}
