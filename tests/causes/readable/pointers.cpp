// A smart pointer is empty, and it is used.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
struct account { std::string owner; long balance; };
class bank {
    std::map<std::string, std::unique_ptr<account>> accounts_;
public:
    void open(const std::string &name, long sum)
    {
        if (sum > 100)  //- if (sum >= 100)
            accounts_[name] = std::make_unique<account>(account{name, sum});
    }
    account *find(const std::string &name) { return accounts_[name].get(); }
};
int main()
{
    bank b;
    b.open("ann", 500);
    b.open("bob", 100);
    account *bob = b.find("bob");
    std::printf("%ld\n", bob->balance);
    return 0;
}
//? why: `bob` was NULL
//! why: /include/
//! why: code without a line
