// A stock with templates, shared pointers, a variant of events, and rules that are kept as functions.
#include <algorithm>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace stock {

struct Arrived { std::string what; int count; int cents; };
struct Sold { std::string what; int count; };
struct Counted { std::string what; int count; };
using Event = std::variant<Arrived, Sold, Counted>;

class Shortage : public std::runtime_error {
public:
    Shortage(const std::string &what, int missing)
        : std::runtime_error(what + " is short"), missing_(missing) {}
    int missing() const { return missing_; }
private:
    int missing_;
};

struct Lot {
    int left;
    int cents;
};

class Item {
public:
    explicit Item(std::string name) : name_(std::move(name)) {}
    virtual ~Item() = default;

    void add(int count, int cents) { lots_.push_back({count, cents}); }

    int left() const {
        int sum = 0;
        for (const Lot &lot : lots_)
            sum += lot.left;
        return sum;
    }

    int worth() const {
        int sum = 0;
        for (const Lot &lot : lots_)
            sum += lot.left * lot.cents;
        return sum;
    }

    int take(int count) {
        if (count > left())
            throw Shortage(name_, count - left());
        int cost = 0;
        while (count > 0) {
            Lot &lot = next();
            const int taken = std::min(count, lot.left);
            lot.left -= taken;
            count -= taken;
            cost += taken * lot.cents;
            if (lot.left == 0)
                lots_.erase(lots_.begin() + (&lot - lots_.data()));
        }
        return cost;
    }

    const std::string &name() const { return name_; }

protected:
    virtual Lot &next() { return lots_.front(); }
    std::vector<Lot> lots_;

private:
    std::string name_;
};

class Dear : public Item {
public:
    using Item::Item;

protected:
    Lot &next() override {
        return *std::max_element(lots_.begin(), lots_.end(), [](const Lot &a, const Lot &b) {
            return @{a.left < b.left|a.cents < b.cents};
        });
    }
};

template <typename Key, typename Value>
class Table {
public:
    using Make = std::function<std::shared_ptr<Value>(const Key &)>;
    explicit Table(Make make) : make_(std::move(make)) {}

    Value &at(const Key &key) {
        auto found = rows_.find(key);
        if (found == rows_.end())
            found = rows_.emplace(key, make_(key)).first;
        return *found->second;
    }

    std::optional<int> sum(const std::function<int(const Value &)> &of) const {
        if (rows_.empty())
            return std::nullopt;
        int all = 0;
        for (const auto &row : rows_)
            all += of(*row.second);
        return all;
    }

    std::size_t size() const { return rows_.size(); }

private:
    std::map<Key, std::shared_ptr<Value>> rows_;
    Make make_;
};

class Stock {
public:
    Stock() : items_([](const std::string &name) -> std::shared_ptr<Item> {
        if (!name.empty() && name.front() == '*')
            return std::make_shared<Dear>(name);
        return std::make_shared<Item>(name);
    }) {}

    void apply(const Event &event) {
        std::visit([this](const auto &each) { this->on(each); }, event);
        count_++;
    }

    int cost() const { return cost_; }
    int short_of() const { return short_; }
    int worth() const {
        return items_.sum([](const Item &item) { return item.worth(); }).value_or(-1);
    }
    int count() const { return count_; }

private:
    void on(const Arrived &event) { items_.at(event.what).add(event.count, event.cents); }

    void on(const Sold &event) {
        try {
            cost_ += items_.at(event.what).take(event.count);
        } catch (const Shortage &shortage) {
            short_ += shortage.missing();
        }
    }

    void on(const Counted &event) {
        Item &item = items_.at(event.what);
        const int gone = item.left() - event.count;
        if (gone > 0)
            lost_ += item.take(gone);
        else if (gone < 0)
            item.add(-gone, 0);
    }

    Table<std::string, Item> items_;
    int cost_ = 0, short_ = 0, lost_ = 0, count_ = 0;
};

}  // namespace stock

int main() {
    using namespace stock;
    const std::vector<Event> events = {
        Arrived{"nails", 100, 2}, Arrived{"*ring", 2, 900}, Arrived{"*ring", 5, 700},
        Sold{"nails", 30}, Sold{"*ring", 3}, Counted{"nails", 65}, Arrived{"nails", 50, 3},
        Sold{"nails", 90}, Sold{"*ring", 6}, Counted{"*ring", 5}, Sold{"glue", 1},
    };
    Stock shop;
    for (const Event &event : events)
        shop.apply(event);
    std::printf("%d events, cost %d, worth %d, short of %d\n",
                shop.count(), shop.cost(), shop.worth(), shop.short_of());
    return 0;
}
