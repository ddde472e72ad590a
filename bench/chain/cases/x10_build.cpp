// What has to be built again, and in which order?  Targets are nodes on the heap.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

struct Target {
    std::string name;
    int time;
    int cost;
    std::vector<Target *> needs;
    int mark = 0;
    bool is_stale = false;
    int level = 0;
};

class Build {
    std::vector<std::unique_ptr<Target>> targets_;
    std::unordered_map<std::string, Target *> by_name_;
    std::vector<Target *> order_;

    int visit(Target *target)
    {
        if (target->mark == 2)
            return target->level;
        target->mark = 1;
        int level = 0;
        for (Target *need : target->needs) {
            level = std::max(level, visit(need) + 1);
            if (@{need->time > target->time|need->is_stale || need->time > target->time})
                target->is_stale = true;
        }
        target->mark = 2;
        target->level = level;
        order_.push_back(target);
        return level;
    }

public:
    Target *add(const std::string &name, int time, int cost)
    {
        targets_.push_back(std::make_unique<Target>());
        Target *target = targets_.back().get();
        target->name = name;
        target->time = time;
        target->cost = cost;
        by_name_[name] = target;
        return target;
    }

    void needs(const std::string &name, const std::vector<std::string> &others)
    {
        for (const std::string &other : others)
            by_name_.at(name)->needs.push_back(by_name_.at(other));
    }

    int plan(const std::string &goal)
    {
        order_.clear();
        return visit(by_name_.at(goal));
    }

    int cost(const std::function<bool(const Target &)> &wanted) const
    {
        int sum = 0;
        for (const Target *target : order_)
            if (wanted(*target))
                sum += target->cost;
        return sum;
    }

    std::string stale() const
    {
        std::string line;
        for (const Target *target : order_) {
            if (!target->is_stale)
                continue;
            if (!line.empty())
                line += " ";
            line += target->name;
        }
        return line;
    }
};

int main()
{
    Build build;
    build.add("a.c", 5, 0);
    build.add("b.c", 2, 0);
    build.add("a.h", 1, 0);
    build.add("a.o", 3, 4);
    build.add("b.o", 4, 3);
    build.add("lib", 6, 2);
    build.add("app", 7, 5);
    build.needs("a.o", {"a.c", "a.h"});
    build.needs("b.o", {"b.c", "a.h"});
    build.needs("lib", {"b.o"});
    build.needs("app", {"a.o", "lib"});
    int levels = build.plan("app");
    int slow = 1;
    int seconds = build.cost([slow](const Target &t) { return t.is_stale && t.cost > slow; });
    std::printf("%d levels, %d seconds\n", levels, seconds);
    std::printf("%s\n", build.stale().c_str());
    return 0;
}
