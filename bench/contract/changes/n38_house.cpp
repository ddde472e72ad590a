// A plan of a house: rooms in an inheritance tree, visitors, maps of unique pointers, sorting with lambdas.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

class Room;
class Hall;
class Cellar;

struct Visitor {
    virtual ~Visitor() = default;
    virtual void visit(const Room &room) = 0;
    virtual void visit(const Hall &hall) = 0;
    virtual void visit(const Cellar &cellar) = 0;
};

class Part {
protected:
    std::string name_;
    std::vector<std::unique_ptr<Part>> parts_;
public:
    explicit Part(std::string name) : name_(std::move(name)) {}
    virtual ~Part() = default;
    virtual double area() const {
        return std::accumulate(parts_.begin(), parts_.end(), 0.0,
                               [](double sum, const std::unique_ptr<Part> &part) { return sum + part->area(); });
    }
    virtual void accept(Visitor &visitor) const = 0;
    const std::string &name() const { return name_; }
    template <class P, class... A> P &add(A &&...given) {
        parts_.push_back(std::make_unique<P>(std::forward<A>(given)...));
        return static_cast<P &>(*parts_.back());
    }
    void inside(Visitor &visitor) const { for (auto &part : parts_) part->accept(visitor); }
};

class Room : public Part {
protected:
    double width_, depth_;
public:
    Room(std::string name, double width, double depth) : Part(std::move(name)), width_(width), depth_(depth) {
        if (width <= 0 || depth <= 0) throw std::invalid_argument("room " + name_);
    }
    double area() const override { return width_ * depth_ + Part::area(); }
    void accept(Visitor &visitor) const override { visitor.visit(*this); }
    double edge() const { return 2 * (width_ + depth_); }
};

class Hall : public Room {
    int doors_;
public:
    Hall(std::string name, double width, double depth, int doors) : Room(std::move(name), width, depth), doors_(doors) {}
    void accept(Visitor &visitor) const override { visitor.visit(*this); }
    int doors() const { return doors_; }
};

class Cellar : public Room {
public:
    using Room::Room;
    double area() const override { return Room::area() / 2; }
    void accept(Visitor &visitor) const override { visitor.visit(*this); }
};

class Cost : public Visitor {
    double sum_ = 0;
    std::map<std::string, double> by_kind_;
    void count(const char *kind, double cost) {
        by_kind_[kind] += cost;
        sum_ += cost;
    }
public:
    void visit(const Room &room) override {
        count("room", room.area() * 10);
        room.inside(*this);
    }
    void visit(const Hall &hall) override {
        count("hall", hall.area() * 8 + hall.doors() * @{3|5});
        hall.inside(*this);
    }
    void visit(const Cellar &cellar) override { count("cellar", cellar.edge() * 2); }
    double sum() const { return sum_; }
    std::optional<double> of(const std::string &kind) const {
        auto found = by_kind_.find(kind);
        return found == by_kind_.end() ? std::nullopt : std::optional<double>(found->second);
    }
};

class Names : public Visitor {
    std::vector<std::pair<double, std::string>> all_;
public:
    void visit(const Room &room) override { all_.emplace_back(room.area(), room.name()); room.inside(*this); }
    void visit(const Hall &hall) override { visit(static_cast<const Room &>(hall)); }
    void visit(const Cellar &cellar) override { all_.emplace_back(cellar.area(), "(" + cellar.name() + ")"); }
    std::string sorted(const std::function<bool(double, double)> &before) {
        std::stable_sort(all_.begin(), all_.end(), [&](const auto &a, const auto &b) { return before(a.first, b.first); });
        std::ostringstream out;
        for (auto &[area, name] : all_) out << name << ' ';
        return out.str();
    }
};

std::unique_ptr<Hall> plan(int floors) {
    auto hall = std::make_unique<Hall>("hall", 4, 3, 2 + floors);
    for (int floor = 0; floor < floors; floor++) {
        Room &room = hall->add<Room>("room" + std::to_string(floor), 3 + floor, 4);
        room.add<Hall>("closet", 1, 1.5, 1);
    }
    hall->add<Cellar>("cellar", 4.0, 3.0);
    return hall;
}

int main() {
    std::vector<double> costs;
    for (int floors = 1; floors < 3; floors++) {
        auto house = plan(floors);
        Cost cost;
        Names names;
        house->accept(cost);
        house->accept(names);
        costs.push_back(cost.sum() + cost.of("cellar").value_or(0) + cost.of("attic").value_or(1));
        if (names.sorted(std::greater<>()).empty()) return 1;
    }
    try { Room bad("bad", 0, 1); } catch (const std::invalid_argument &) {}
    std::cout << std::is_sorted(costs.begin(), costs.end()) << "\n";
}
