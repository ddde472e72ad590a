// An account book: the balance lies behind a pointer of an object that another object points to.
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>
struct Balance {
    long cents = 0;
    int moves = 0;
};
struct Owner {
    std::string name;
    std::unique_ptr<Balance> balance;
    explicit Owner(const char *n) : name(n), balance(new Balance) {}
};
class Book {
    std::vector<std::shared_ptr<Owner>> owners;
public:
    Owner *find(const std::string &name) {
        for (auto &owner : owners)
            if (owner->name == name)
                return owner.get();
        owners.push_back(std::make_shared<Owner>(name.c_str()));
        return owners.back().get();
    }
    void move(const std::string &from, const std::string &to, long cents) {
        Owner *giver = find(from), *taker = find(to);
        giver->balance->cents -= cents;
        taker->balance->cents += cents;
        giver->balance->moves++;
        @{|taker->balance->moves++;}
    }
    long fees(long each) {
        long sum = 0;
        for (auto &owner : owners) {
            sum += owner->balance->moves * each;
        }
        return sum;
    }
};
int main() {
    Book book;
    book.move("ann", "bob", 500);
    book.move("bob", "cid", 120);
    book.move("ann", "cid", 75);
    printf("%ld\n", book.fees(3));
    return 0;
}
