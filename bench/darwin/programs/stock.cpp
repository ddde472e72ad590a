// Reads orders and deliveries of a store from standard input, and prints what is sent.
//
//   + ITEM COUNT PRICE     a delivery
//   - ITEM COUNT BUYER     an order; a buyer whose name begins with '*' is served first
//   = ITEM                 what is left
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

struct Delivery {
    int count;
    int price;
};

struct Order {
    std::string buyer;
    int count;
    bool is_urgent;
};

class Shelf {
public:
    void add(int count, int price)
    {
        if (!deliveries_.empty() && deliveries_.back().price == price) {
            deliveries_.back().count += count;
            return;
        }
        deliveries_.push_back({count, price});
    }

    int available() const
    {
        int total = 0;
        for (const Delivery &one : deliveries_)
            total += one.count;
        return total;
    }

    // Takes from the oldest delivery first; returns what it cost.
    int take(int count)
    {
        int cost = 0;
        while (count > 0 && !deliveries_.empty()) {
            Delivery &first = deliveries_.front();
            int part = count < first.count ? count : first.count;
            cost += part * first.price;
            first.count -= part;
            count -= part;
            if (first.count == 0)
                deliveries_.erase(deliveries_.begin());
        }
        return cost;
    }

private:
    std::vector<Delivery> deliveries_;
};

class Store {
public:
    explicit Store(int margin) : margin_(margin) {}

    void deliver(const std::string &item, int count, int price)
    {
        shelves_[item].add(count, price);
        serve(item);
    }

    void order(const std::string &item, const Order &order)
    {
        std::vector<Order> &waiting = waiting_[item];
        auto place = waiting.end();
        if (order.is_urgent) {
            place = waiting.begin();
            while (place != waiting.end() && place->is_urgent)
                ++place;
        }
        waiting.insert(place, order);
        serve(item);
    }

    void report(const std::string &item)
    {
        std::cout << item << " left " << shelves_[item].available() << " waiting "
                  << waiting_[item].size() << "\n";
    }

private:
    void serve(const std::string &item)
    {
        Shelf &shelf = shelves_[item];
        std::vector<Order> &waiting = waiting_[item];
        while (!waiting.empty() && waiting.front().count <= shelf.available()) {
            Order first = waiting.front();
            waiting.erase(waiting.begin());
            int cost = shelf.take(first.count);
            int price = cost + cost * margin_ / 100;
            if (first.count >= 10)
                price -= price / 20;
            std::cout << item << " " << first.count << " to " << first.buyer << " for " << price
                      << "\n";
        }
    }

    int margin_;
    std::map<std::string, Shelf> shelves_;
    std::map<std::string, std::vector<Order>> waiting_;
};

static bool handle(Store &store, const std::string &line)
{
    std::istringstream words(line);
    std::string what, item;
    int count = 0;
    words >> what >> item;
    if (what == "=") {
        store.report(item);
        return true;
    }
    if (!(words >> count) || count <= 0)
        return false;
    if (what == "+") {
        int price = 0;
        if (!(words >> price))
            return false;
        store.deliver(item, count, price);
        return true;
    }
    std::string buyer;
    if (what != "-" || !(words >> buyer))
        return false;
    bool is_urgent = buyer[0] == '*';
    store.order(item, {is_urgent ? buyer.substr(1) : buyer, count, is_urgent});
    return true;
}

int main(int argc, char **argv)
{
    Store store(argc > 1 ? std::stoi(argv[1]) : 20);
    std::string line;
    int number = 0;
    while (std::getline(std::cin, line)) {
        ++number;
        if (line.empty() || line[0] == '#')
            continue;
        if (!handle(store, line)) {
            std::cout << "line " << number << " is wrong\n";
            return 1;
        }
    }
    return 0;
}
