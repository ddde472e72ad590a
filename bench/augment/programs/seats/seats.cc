// Book seats in a hall.  seats ROWS SEATS REQUEST...
//
// A request is N (N seats side by side), N@R (in row R) or -N (give back the booking number N).
// Seats of the middle are given first; a booking never leaves one free seat between two others.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

constexpr int kFree = 0;
constexpr int kMaxParty = 12;

struct Place {
    int row, first, count;
};

class Hall {
public:
    Hall(int rows, int seats) : rows_(rows), seats_(seats), taken_(rows, std::vector<int>(seats, kFree)) {}

    int book(int count, int wanted) {
        Place best{-1, 0, count};
        int least = 1 << 20;
        for (int row = 0; row < rows_; row++) {
            if (wanted >= 0 && row != wanted)
                continue;
            for (int first = 0; first + count <= seats_; first++) {
                if (!isFree(row, first, count) || leavesOne(row, first, count))
                    continue;
                int cost = costOf(row, first, count);
                if (cost < least) {
                    least = cost;
                    best = Place{row, first, count};
                }
            }
        }
        if (best.row < 0)
            return 0;
        fill(best, ++last_);
        places_[last_] = best;
        return last_;
    }

    bool giveBack(int number) {
        auto found = places_.find(number);
        if (found == places_.end())
            return false;
        fill(found->second, kFree);
        places_.erase(found);
        return true;
    }

    const Place &place(int number) const { return places_.at(number); }

    int freeSeats() const {
        int found = 0;
        for (const auto &row : taken_)
            for (int one : row)
                found += one == kFree;
        return found;
    }

private:
    bool isFree(int row, int first, int count) const {
        for (int seat = first; seat < first + count; seat++)
            if (taken_[row][seat] != kFree)
                return false;
        return true;
    }

    bool isFreeSeat(int row, int seat) const {
        return seat >= 0 && seat < seats_ && taken_[row][seat] == kFree;
    }

    bool leavesOne(int row, int first, int count) const {
        bool left = isFreeSeat(row, first - 1) && !isFreeSeat(row, first - 2) && first - 2 >= 0;
        int after = first + count;
        bool right = isFreeSeat(row, after) && !isFreeSeat(row, after + 1) && after + 1 < seats_;
        return left || right;
    }

    int costOf(int row, int first, int count) const {
        int middle = 2 * first + count - seats_;
        return (middle < 0 ? -middle : middle) + 3 * row;
    }

    void fill(const Place &place, int number) {
        for (int seat = place.first; seat < place.first + place.count; seat++)
            taken_[place.row][seat] = number;
    }

    int rows_, seats_, last_ = 0;
    std::vector<std::vector<int>> taken_;
    std::map<int, Place> places_;
};

int fail(const std::string &what) {
    std::printf("%s\n", what.c_str());
    return 1;
}

}  // namespace

int main(int argc, char **argv) {
    if (argc < 3)
        return fail("seats ROWS SEATS REQUEST...");
    int rows = std::atoi(argv[1]), seats = std::atoi(argv[2]);
    if (rows < 1 || rows > 20 || seats < 1 || seats > 40)
        return fail("the hall has a wrong size");
    Hall hall(rows, seats);
    for (int k = 3; k < argc; k++) {
        std::string request = argv[k];
        int number = std::atoi(request.c_str());
        if (number < 0) {
            std::printf(hall.giveBack(-number) ? "given back\n" : "no such booking\n");
            continue;
        }
        if (number == 0 || number > kMaxParty)
            return fail("a party has 1 to 12 people");
        int wanted = -1;
        std::size_t at = request.find('@');
        if (at != std::string::npos) {
            wanted = std::atoi(request.c_str() + at + 1) - 1;
            if (wanted < 0 || wanted >= rows)
                return fail("no such row");
        }
        int booked = hall.book(number, wanted);
        if (!booked) {
            std::printf("sold out\n");
            continue;
        }
        const Place &place = hall.place(booked);
        std::printf("%d: row %d, seats %d to %d\n", booked, place.row + 1, place.first + 1,
                    place.first + place.count);
    }
    std::printf("%d free\n", hall.freeSeats());
    return 0;
}
