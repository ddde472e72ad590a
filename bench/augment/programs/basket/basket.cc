// Prices a basket of goods.  Usage: basket COUPON ZONE CODE:COUNT...
// COUPON is 0, or a percentage; ZONE is 1 to 4; CODE is a letter from a to h.

#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Good {
    const char *name;
    long cents;
    int grams;
    bool fragile;
};

const Good goods[] = {
    {"apples", 320, 1000, false}, {"bottle", 899, 1300, true},   {"cup", 450, 300, true},
    {"drill", 7900, 2600, false}, {"eraser", 99, 20, false},     {"frame", 2450, 900, true},
    {"glue", 380, 120, false},    {"hammer", 1850, 1100, false},
};

struct Line {
    Good good;
    int count;
};

class Rule {
public:
    virtual ~Rule() = default;
    virtual long off(const std::vector<Line> &lines, long sum) const = 0;
    virtual const char *name() const = 0;
};

class Coupon : public Rule {
public:
    explicit Coupon(int percent) : percent_(percent) {}
    long off(const std::vector<Line> &, long sum) const override
    {
        if (sum < 2000)
            return 0;
        return sum * percent_ / 100;
    }
    const char *name() const override { return "coupon"; }

private:
    int percent_;
};

class Bundle : public Rule {
public:
    long off(const std::vector<Line> &lines, long) const override
    {
        long found = 0;
        for (const Line &line : lines)
            if (line.count >= 3)
                found += line.count / 3 * line.good.cents / 2;
        return found;
    }
    const char *name() const override { return "bundle"; }
};

class Basket {
public:
    void add(char code, int count)
    {
        int at = code - 'a';
        if (at < 0 || at >= static_cast<int>(sizeof goods / sizeof goods[0]))
            throw std::invalid_argument("no such code");
        if (count <= 0 || count > 40)
            throw std::out_of_range("bad count");
        for (Line &line : lines_)
            if (line.good.name == goods[at].name) {
                line.count += count;
                return;
            }
        lines_.push_back({goods[at], count});
    }

    void apply(std::unique_ptr<Rule> rule) { rules_.push_back(std::move(rule)); }

    long sum() const
    {
        long found = 0;
        for (const Line &line : lines_)
            found += line.good.cents * line.count;
        return found;
    }

    int grams() const
    {
        int found = 0;
        for (const Line &line : lines_)
            found += line.good.grams * line.count;
        return found;
    }

    bool fragile() const
    {
        for (const Line &line : lines_)
            if (line.good.fragile)
                return true;
        return false;
    }

    long postage(int zone) const
    {
        static const long rates[] = {390, 590, 990, 1690};
        long found = rates[zone - 1];
        if (grams() > 5000)
            found += (grams() - 5000 + 999) / 1000 * 120;
        if (fragile())
            found += found / 4;
        if (sum() >= 10000 && zone <= 2)
            return 0;
        return found;
    }

    long total(int zone) const
    {
        long best = 0;
        const char *by = nullptr;
        for (const auto &rule : rules_) {
            long off = rule->off(lines_, sum());
            if (off > best) {
                best = off;
                by = rule->name();
            }
        }
        if (by)
            std::printf("%s: -%ld\n", by, best);
        return sum() - best + postage(zone);
    }

private:
    std::vector<Line> lines_;
    std::vector<std::unique_ptr<Rule>> rules_;
};

int number(const std::string &text)
{
    if (text.empty())
        throw std::invalid_argument("no number");
    return std::atoi(text.c_str());
}

} // namespace

int main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    try {
        int coupon = number(argv[1]), zone = number(argv[2]);
        if (coupon < 0 || coupon > 60 || zone < 1 || zone > 4)
            throw std::out_of_range("bad coupon or zone");
        Basket basket;
        if (coupon)
            basket.apply(std::make_unique<Coupon>(coupon));
        basket.apply(std::make_unique<Bundle>());
        for (int i = 3; i < argc; i++) {
            std::string word = argv[i];
            std::size_t colon = word.find(':');
            if (colon == std::string::npos)
                throw std::invalid_argument("no colon");
            basket.add(word[0], number(word.substr(colon + 1)));
        }
        std::printf("%ld cents\n", basket.total(zone));
    } catch (const std::out_of_range &error) {
        std::printf("out of range: %s\n", error.what());
        return 1;
    } catch (const std::invalid_argument &error) {
        std::printf("invalid: %s\n", error.what());
        return 1;
    }
    return 0;
}
