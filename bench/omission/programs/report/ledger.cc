#include "report.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

long parse_cents(const std::string &text)
{
    long whole = 0, part = 0;
    int decimals = -1;
    bool is_negative = false;
    for (char c : text) {
        if (c == '-') {
            is_negative = true;
        } else if (c == '.') {
            decimals = 0;
        } else if (c < '0' || c > '9') {
            throw std::invalid_argument("bad amount: " + text);
        } else if (decimals < 0) {
            whole = whole * 10 + (c - '0');
        } else if (decimals < 2) {
            part = part * 10 + (c - '0');
            decimals++;
        }
    }
    if (decimals == 1)
        part *= 10;
    long cents = whole * 100 + part;
    return is_negative ? -cents : cents;
}

std::string money(long cents)
{
    std::ostringstream out;
    long size = cents < 0 ? -cents : cents;
    if (cents < 0)
        out << '-';
    out << size / 100 << '.';
    if (size % 100 < 10)
        out << '0';
    out << size % 100;
    return out.str();
}

Ledger::Ledger(const Settings &settings) : settings_(settings)
{
    for (const std::string &name : settings.names("accounts")) {
        Account account;
        account.name = name;
        account.kind = settings.text("accounts", name, "asset");
        account.balance = parse_cents(settings.text("opening", name, "0"));
        accounts_[name] = account;
    }
    for (const std::string &name : settings.names("aliases"))
        aliases_[name] = settings.text("aliases", name, name);
    for (const std::string &name : split(settings.text("format", "closed", ""), ','))
        account(name).is_closed = true;
}

Account &Ledger::account(const std::string &name)
{
    auto alias = aliases_.find(name);
    const std::string &real = alias == aliases_.end() ? name : alias->second;
    auto found = accounts_.find(real);
    if (found == accounts_.end())
        throw std::out_of_range("no such account: " + real);
    return found->second;
}

// DAY ACCOUNT AMOUNT NOTE..., where a `>` before the account marks a transfer.
void Ledger::add(const std::string &line)
{
    std::istringstream in(line);
    Entry entry;
    std::string amount;
    if (!(in >> entry.day >> entry.account >> amount))
        throw std::runtime_error("incomplete entry: " + line);
    if (entry.account.front() == '>') {
        entry.account.erase(0, 1);
        entry.is_transfer = true;
    }
    entry.cents = parse_cents(amount);
    std::string word;
    while (in >> word) {
        if (word.size() > 1 && word.front() == '*') {
            entry.weight = std::stoi(word.substr(1));
            continue;
        }
        if (!entry.note.empty())
            entry.note += ' ';
        entry.note += word;
    }
    try {
        post(entry);
    } catch (const std::out_of_range &error) {
        rejected_++;
        if (settings_.number("format", "strict", 0) > 0)
            throw;
    }
}

void Ledger::post(const Entry &entry)
{
    Account &to = account(entry.account);
    if (to.is_closed && !entry.is_transfer)
        return;
    to.balance += entry.cents * entry.weight;
    to.entries++;
    to.last_day = std::max(to.last_day, entry.day);
    to.largest = std::max(to.largest, entry.cents);
    if (entry.is_transfer) {
        Account &from = account(settings_.text("format", "source", "cash"));
        from.balance -= entry.cents * entry.weight;
        from.last_day = entry.day;
    }
    entries_.push_back(entry);
}

// Interest and fees at the end of a day.
void Ledger::close_day(const std::string &day)
{
    long fee = settings_.number("fees", "daily", 0);
    long rate = settings_.number("fees", "rate", 0);
    for (auto &pair : accounts_) {
        Account &account = pair.second;
        if (account.is_closed)
            continue;
        if (account.kind == "loan")
            account.balance += account.balance * rate / 1000;
        if (account.last_day == day && account.kind == "asset")
            account.balance -= fee;
    }
}
