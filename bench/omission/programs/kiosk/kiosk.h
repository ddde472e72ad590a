#ifndef KIOSK_H
#define KIOSK_H

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

enum class Zone { Inner, Middle, Outer };

struct Stop {
    std::string name;
    Zone zone;
    int minutes;
};

class Network {
public:
    void add(const std::string &line, const Stop &stop);
    bool has(const std::string &name) const;
    const Stop &stop(const std::string &name) const;
    int distance(const std::string &from, const std::string &to) const;
    int zones(const std::string &from, const std::string &to) const;

private:
    std::map<std::string, std::vector<Stop>> lines;
};

struct Rider {
    std::string kind;
    int age;
    int rides;
};

struct Trip {
    std::string from;
    std::string to;
    int hour;
    int count;
};

class Tariff {
public:
    virtual ~Tariff() {}
    virtual int cents(const Network &network, const Trip &trip) const = 0;
    virtual std::string name() const = 0;
};

class ZoneTariff : public Tariff {
public:
    int cents(const Network &network, const Trip &trip) const override;
    std::string name() const override;
};

class DistanceTariff : public Tariff {
public:
    explicit DistanceTariff(int each) : each(each) {}
    int cents(const Network &network, const Trip &trip) const override;
    std::string name() const override;

private:
    int each;
};

using Rule = std::function<int(int cents, const Rider &rider, const Trip &trip)>;

class Pricing {
public:
    Pricing();
    void use(std::unique_ptr<Tariff> chosen);
    void add_rule(const std::string &name, Rule rule);
    int price(const Network &network, const Rider &rider, const Trip &trip) const;
    std::string describe() const;

private:
    std::unique_ptr<Tariff> tariff;
    std::vector<std::pair<std::string, Rule>> rules;
};

struct Sale {
    std::string rider;
    Trip trip;
    int cents;
};

class Ledger {
public:
    void note(const Sale &sale);
    int total() const;
    std::map<std::string, int> by_rider() const;
    std::vector<Sale> largest(int count) const;
    int size() const { return static_cast<int>(sales.size()); }

private:
    std::vector<Sale> sales;
};

std::unique_ptr<Tariff> tariff_of(const std::string &word);
std::string money(int cents);
std::string padded(const std::string &text, int width);
std::vector<std::string> words_of(const std::string &line);

#endif
