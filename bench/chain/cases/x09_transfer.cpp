// Transfers between accounts: one that fails in the middle is taken back.
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

struct Refused : std::runtime_error {
    int code;
    Refused(const std::string &why, int code) : std::runtime_error(why), code(code) {}
};

struct Account {
    long balance = 0;
    long limit = 0;
    int moves = 0;
};

struct Step {
    std::string from, to;
    long amount;
};

class Bank {
    std::map<std::string, Account> accounts_;
    std::vector<std::string> log_;
    long fees_ = 0;

public:
    void open(const std::string &name, long balance, long limit)
    {
        Account account;
        account.balance = balance;
        account.limit = limit;
        accounts_[name] = account;
    }

    Account &find(const std::string &name)
    {
        auto found = accounts_.find(name);
        if (found == accounts_.end())
            throw Refused("no account " + name, 4);
        return found->second;
    }

    void take(const std::string &name, long amount)
    {
        Account &account = find(name);
        if (account.balance - amount < -account.limit)
            throw Refused(name + " lacks money", 5);
        account.balance -= amount;
        account.moves++;
    }

    void give(const std::string &name, long amount)
    {
        Account &account = find(name);
        account.balance += amount;
        account.moves++;
    }

    void move(const Step &step)
    {
        take(step.from, step.amount);
        try {
            give(step.to, step.amount);
        } catch (const Refused &) {
            @{|give(step.from, step.amount);}
            fees_ += 2;
            throw;
        }
    }

    int run(const std::vector<Step> &steps)
    {
        int refused = 0;
        for (const Step &step : steps) {
            try {
                move(step);
            } catch (const Refused &error) {
                refused += error.code == 5 ? 10 : 1;
                log_.push_back(error.what());
            }
        }
        return refused;
    }

    long total() const
    {
        long sum = 0;
        for (const auto &entry : accounts_)
            sum += entry.second.balance;
        return sum;
    }

    const std::vector<std::string> &log() const { return log_; }
    long fees() const { return fees_; }
};

int main()
{
    Bank bank;
    bank.open("anna", 120, 0);
    bank.open("bert", 40, 30);
    bank.open("club", 300, 0);
    int refused = bank.run({
        {"anna", "bert", 50},
        {"bert", "klub", 25},
        {"bert", "anna", 110},
        {"anna", "club", 35},
    });
    long open = bank.total() - bank.fees();
    std::cout << "refused " << refused << "\n";
    std::cout << "open " << open << "\n";
    for (const std::string &line : bank.log())
        std::cout << line << "\n";
    return 0;
}
