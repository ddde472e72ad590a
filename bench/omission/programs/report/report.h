#ifndef REPORT_H
#define REPORT_H

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

// --- settings: an INI text -------------------------------------------------------------------

class Settings {
public:
    void read_line(const std::string &line);
    bool has(const std::string &section, const std::string &name) const;
    std::string text(const std::string &section, const std::string &name,
                     const std::string &otherwise) const;
    long number(const std::string &section, const std::string &name, long otherwise) const;
    std::vector<std::string> names(const std::string &section) const;

private:
    std::string section_;
    std::map<std::string, std::map<std::string, std::string>> values_;
};

std::string trimmed(const std::string &text);
std::vector<std::string> split(const std::string &text, char separator);

// --- entries ---------------------------------------------------------------------------------

struct Entry {
    std::string day;
    std::string account;
    long cents = 0;
    std::string note;
    bool is_transfer = false;
    int weight = 1;
};

struct Account {
    std::string name;
    std::string kind;
    long balance = 0;
    long largest = 0;
    int entries = 0;
    bool is_closed = false;
    std::string last_day;
};

class Ledger {
public:
    explicit Ledger(const Settings &settings);
    void add(const std::string &line);
    void close_day(const std::string &day);
    const std::vector<Entry> &entries() const { return entries_; }
    const std::map<std::string, Account> &accounts() const { return accounts_; }
    int rejected() const { return rejected_; }

private:
    Account &account(const std::string &name);
    void post(const Entry &entry);

    const Settings &settings_;
    std::vector<Entry> entries_;
    std::map<std::string, Account> accounts_;
    std::map<std::string, std::string> aliases_;
    int rejected_ = 0;
};

long parse_cents(const std::string &text);
std::string money(long cents);

// --- tables ----------------------------------------------------------------------------------

class Column {
public:
    Column(std::string title, int width) : title_(std::move(title)), width_(width) {}
    virtual ~Column() = default;
    virtual std::string cell(const Account &account) const = 0;
    virtual std::string padded(const std::string &cell) const;
    const std::string &title() const { return title_; }
    int width() const { return width_; }

protected:
    std::string title_;
    int width_;
};

class Table {
public:
    void add(std::unique_ptr<Column> column);
    void show_if(std::function<bool(const Account &)> wanted);
    std::string text(const std::vector<Account> &accounts) const;

private:
    std::vector<std::unique_ptr<Column>> columns_;
    std::vector<std::function<bool(const Account &)>> filters_;
};

std::vector<Account> sorted_accounts(const Ledger &ledger, const Settings &settings);
Table account_table(const Settings &settings);
std::string summary(const Ledger &ledger, const Settings &settings);

#endif
