// A clinic: visits are booked, moved, priced and reported.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <set>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

struct Day {
    int month = 1;
    int day = 1;

    bool operator<(const Day &other) const
    {
        return month != other.month ? month < other.month : day < other.day;
    }
};

std::string text_of(const Day &day);

// When and with whom.
struct Slot {
    Day day;
    int minute = 0;
    std::string doctor;

    bool operator<(const Slot &other) const
    {
        if (day < other.day || other.day < day)
            return day < other.day;
        if (minute != other.minute)
            return minute < other.minute;
        return doctor < other.doctor;
    }
};

// --- errors

class Refused : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

class Taken : public Refused {
public:
    explicit Taken(const Slot &slot);
};

class Unreadable : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// --- visits

class Visit {
public:
    Visit(std::string patient, int minutes) : patient(std::move(patient)), minutes(minutes) {}
    Visit(const Visit &other);
    virtual ~Visit() = default;
    virtual int cents() const { return minutes * 110; }
    virtual std::unique_ptr<Visit> copy() const { return std::make_unique<Visit>(*this); }
    virtual std::string kind() const { return "visit"; }

    std::string patient;
    int minutes;
    int rebate = 0; // in percent
    bool is_urgent = false;
};

class Surgery : public Visit {
public:
    Surgery(std::string patient, int minutes, int rooms) : Visit(std::move(patient), minutes), rooms(rooms) {}
    int cents() const override { return minutes * 340 + rooms * 9000; }
    std::unique_ptr<Visit> copy() const override { return std::make_unique<Surgery>(*this); }
    std::string kind() const override { return "surgery"; }

private:
    int rooms;
};

class Phone : public Visit {
public:
    using Visit::Visit;
    int cents() const override { return 900; }
    std::unique_ptr<Visit> copy() const override { return std::make_unique<Phone>(*this); }
    std::string kind() const override { return "phone"; }
};

// --- the book

class Book {
public:
    void add(const Slot &slot, std::unique_ptr<Visit> visit);
    void move(const Slot &from, const Slot &to);
    void repeat(const Slot &slot, int times, int days);
    void cancel(const std::string &patient);
    const Visit *at(const Slot &slot) const;
    int load(const std::string &doctor) const;
    void each(const std::function<void(const Slot &, const Visit &)> &visitor) const;
    std::size_t doctors() const { return minutes_of.size(); }

private:
    std::map<Slot, std::unique_ptr<Visit>> visits;
    std::map<std::string, int> minutes_of;
};

// --- money

struct Percent {
    int part;
};
struct Fixed {
    int cents;
};
using Discount = std::variant<std::monostate, Percent, Fixed>;

class Prices {
public:
    void discount(const std::string &patient, Discount discount) { discounts[patient] = discount; }
    int due(const Visit &visit) const;
    int due(const Visit &visit, int tip) const { return due(visit) + tip; }

private:
    std::map<std::string, Discount> discounts;
};

template <typename T>
struct Written {
    static std::string of(const T &value) { return std::to_string(value); }
};
template <>
struct Written<bool> {
    static std::string of(bool value) { return value ? "yes" : "no"; }
};

std::string euros(int cents, char point = '.');

// --- commands

class Reader {
public:
    Reader(Book &book, Prices &prices, std::ostream &out) : book(book), prices(prices), out(out) {}
    int run(std::istream &in);

private:
    void command(const std::vector<std::string> &words);
    void report();
    void summary();
    std::vector<std::string> urgent() const;

    Book &book;
    Prices &prices;
    std::ostream &out;
    std::map<std::string, std::vector<std::string>> macros;
    int depth = 0;
    int errors = 0;
};
