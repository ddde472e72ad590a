// Book seats of several trains together: all of a journey, or nothing.
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Train {
    std::string name;
    int seats;
    int price;
    int sold = 0;
};

struct Refused : std::runtime_error {
    explicit Refused(const std::string &name) : std::runtime_error("no seat in " + name) {}
};

class Office {
public:
    void add(const std::string &name, int seats, int price)
    {
        trains_[name] = Train{name, seats, price};
    }

    Train &train(const std::string &name)
    {
        auto found = trains_.find(name);
        if (found == trains_.end())
            throw std::out_of_range(name);
        return found->second;
    }

    int earned() const
    {
        int sum = 0;
        for (const auto &entry : trains_)
            sum += entry.second.sold * entry.second.price;
        return sum;
    }

    int empty() const
    {
        int sum = 0;
        for (const auto &entry : trains_)
            sum += entry.second.seats - entry.second.sold;
        return sum;
    }

private:
    std::map<std::string, Train> trains_;
};

class Booking {
public:
    explicit Booking(Office &office) : office_(office) {}

    ~Booking()
    {
        if (is_kept_)
            return;
        for (const std::string &name : taken_) {
            Train @{|&}train = office_.train(name);
            train.sold--;
        }
    }

    void take(const std::string &name)
    {
        Train &train = office_.train(name);
        if (train.sold == train.seats)
            throw Refused(name);
        train.sold++;
        taken_.push_back(name);
    }

    void keep() { is_kept_ = true; }

private:
    Office &office_;
    std::vector<std::string> taken_;
    bool is_kept_ = false;
};

static int book(Office &office, const std::vector<std::string> &journey)
{
    try {
        Booking booking(office);
        for (const std::string &name : journey)
            booking.take(name);
        booking.keep();
        return 1;
    } catch (const Refused &) {
        return 0;
    }
}

int main()
{
    Office office;
    office.add("north", 2, 30);
    office.add("south", 1, 45);
    office.add("coast", 3, 20);
    int booked = 0;
    booked += book(office, {"north", "south"});
    booked += book(office, {"coast", "south"});
    booked += book(office, {"north", "coast"});
    booked += book(office, {"coast", "north"});
    int earned = office.earned();
    int empty = office.empty();
    std::printf("%d booked\n", booked);
    std::printf("earned %d, %d empty\n", earned, empty);
    return 0;
}
