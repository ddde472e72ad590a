// The shortest ways between towns, with closed roads.
#include <cstdio>
#include <map>
#include <queue>
#include <string>
#include <vector>

struct Road {
    int to, length;
    bool is_open;
};

class Map {
public:
    int town(const std::string &name)
    {
        auto known = numbers_.find(name);
        if (known != numbers_.end())
            return known->second;
        int number = static_cast<int>(names_.size());
        numbers_[name] = number;
        names_.push_back(name);
        roads_.emplace_back();
        return number;
    }

    void connect(const std::string &one, const std::string &other, int length)
    {
        int from = town(one), to = town(other);
        roads_[from].push_back({to, length, true});
        roads_[to].push_back({from, length, true});
    }

    void close(const std::string &one, const std::string &other)
    {
        int from = town(one), to = town(other);
        for (Road &road : roads_[from])
            if (road.to == to)
                road.is_open = false;
        for (Road &road : roads_[to])
            if (road.to == from)
                road.is_open = false;
    }

    int distance(const std::string &one, const std::string &other)
    {
        int from = town(one), to = town(other);
        std::vector<int> best(names_.size(), -1);
        using Stop = std::pair<int, int>;
        std::priority_queue<Stop, std::vector<Stop>, std::greater<Stop>> stops;
        stops.push({0, from});
        while (!stops.empty()) {
            Stop stop = stops.top();
            stops.pop();
            if (best[stop.second] >= 0)
                continue;
            best[stop.second] = stop.first;
            for (const Road &road : roads_[stop.second]) {
                if (!road.is_open)
                    continue;
                int far = @{road.length|stop.first + road.length};
                stops.push({far, road.to});
            }
        }
        return best[to];
    }

    int towns() const { return static_cast<int>(names_.size()); }

private:
    std::map<std::string, int> numbers_;
    std::vector<std::string> names_;
    std::vector<std::vector<Road>> roads_;
};

int main()
{
    Map map;
    map.connect("Ahrn", "Brol", 7);
    map.connect("Brol", "Cede", 4);
    map.connect("Cede", "Dorn", 6);
    map.connect("Ahrn", "Dorn", 20);
    map.connect("Brol", "Dorn", 12);
    map.close("Brol", "Dorn");
    int far = map.distance("Ahrn", "Dorn");
    std::printf("%d towns\n", map.towns());
    std::printf("Ahrn to Dorn: %d\n", far);
    return 0;
}
