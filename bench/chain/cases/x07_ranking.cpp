// A tree of players ordered by points, from which players can leave.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Node {
    int points;
    std::string name;
    std::unique_ptr<Node> low, high;
    Node(int p, std::string n) : points(p), name(std::move(n)) {}
};

class Ranking {
public:
    void join(int points, const std::string &name)
    {
        std::unique_ptr<Node> *place = &root_;
        while (*place)
            place = points < (*place)->points ? &(*place)->low : &(*place)->high;
        *place = std::make_unique<Node>(points, name);
        count_++;
    }

    bool leave(int points)
    {
        std::unique_ptr<Node> *place = find(points);
        if (!*place)
            return false;
        remove(*place);
        count_--;
        return true;
    }

    int count() const { return count_; }

    int height() const { return height_of(root_.get()); }

    std::vector<const Node *> best_first() const
    {
        std::vector<const Node *> found;
        collect(root_.get(), found);
        return found;
    }

private:
    std::unique_ptr<Node> *find(int points)
    {
        std::unique_ptr<Node> *place = &root_;
        while (*place && (*place)->points != points)
            place = points < (*place)->points ? &(*place)->low : &(*place)->high;
        return place;
    }

    void remove(std::unique_ptr<Node> &place)
    {
        if (!place->low) {
            place = std::move(place->high);
        } else if (!place->high) {
            place = std::move(place->low);
        } else {
            std::unique_ptr<Node> *next = &place->high;
            while ((*next)->low)
                next = &(*next)->low;
            place->points = (*next)->points;
            place->name = (*next)->name;
            *next = std::move(@{(*next)->low|(*next)->high});
        }
    }

    static int height_of(const Node *node)
    {
        if (!node)
            return 0;
        int low = height_of(node->low.get()), high = height_of(node->high.get());
        return 1 + (low > high ? low : high);
    }

    static void collect(const Node *node, std::vector<const Node *> &found)
    {
        if (!node)
            return;
        collect(node->high.get(), found);
        found.push_back(node);
        collect(node->low.get(), found);
    }

    std::unique_ptr<Node> root_;
    int count_ = 0;
};

int main()
{
    Ranking ranking;
    const char *names[] = {"Ida", "Jon", "Kay", "Lou", "Max", "Nia", "Ole"};
    const int points[] = {50, 30, 80, 60, 90, 70, 20};
    for (int i = 0; i < 7; i++)
        ranking.join(points[i], names[i]);
    ranking.leave(50);
    ranking.leave(20);

    int sum = 0, rank = 0;
    for (const Node *node : ranking.best_first()) {
        rank++;
        sum += rank * node->points;
    }
    std::printf("%d players, height %d\n", ranking.count(), ranking.height());
    std::printf("weighted %d\n", sum);
    return 0;
}
