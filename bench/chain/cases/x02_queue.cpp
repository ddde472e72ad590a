#include <cstdio>
#include <map>
#include <queue>
#include <string>
#include <vector>

// Jobs with priorities and dependencies, run in order.

struct Job {
    std::string name;
    int priority;
    int minutes;
    std::vector<std::string> after;
};

struct Later {
    const std::map<std::string, Job> *jobs;
    bool operator()(const std::string &one, const std::string &other) const {
        const Job &a = jobs->at(one), &b = jobs->at(other);
        if (a.priority != b.priority)
            return a.priority @{>|<} b.priority;
        return one > other;
    }
};

class Plan {
public:
    void add(Job job) {
        waiting_[job.name] = static_cast<int>(job.after.size());
        for (const auto &before : job.after)
            followers_[before].push_back(job.name);
        jobs_[job.name] = job;
    }

    int start_of(const std::string &wanted) {
        std::priority_queue<std::string, std::vector<std::string>, Later> ready(Later{&jobs_});
        for (const auto &[name, count] : waiting_)
            if (count == 0)
                ready.push(name);
        int now = 0;
        while (!ready.empty()) {
            std::string name = ready.top();
            ready.pop();
            if (name == wanted)
                return now;
            now += jobs_[name].minutes;
            for (const auto &follower : followers_[name])
                if (--waiting_[follower] == 0)
                    ready.push(follower);
        }
        return -1;
    }

private:
    std::map<std::string, Job> jobs_;
    std::map<std::string, int> waiting_;
    std::map<std::string, std::vector<std::string>> followers_;
};

int main() {
    Plan plan;
    plan.add({"build", 5, 20, {}});
    plan.add({"docs", 1, 30, {}});
    plan.add({"test", 3, 15, {"build"}});
    plan.add({"ship", 2, 5, {"test", "docs"}});
    int start = plan.start_of("test");
    std::printf("%d\n", start);
    return 0;
}
