#include "report.h"

#include <algorithm>
#include <iomanip>
#include <numeric>
#include <sstream>

namespace {

class NameColumn : public Column {
public:
    using Column::Column;
    std::string cell(const Account &account) const override
    {
        std::string mark = account.is_closed ? "x " : "";
        return mark + account.name;
    }
};

class MoneyColumn : public Column {
public:
    MoneyColumn(std::string title, int width, std::function<long(const Account &)> value)
        : Column(std::move(title), width), value_(std::move(value)) {}

    std::string cell(const Account &account) const override { return money(value_(account)); }

    std::string padded(const std::string &cell) const override
    {
        std::ostringstream out;
        out << std::setw(width_) << cell;
        return out.str();
    }

private:
    std::function<long(const Account &)> value_;
};

class CountColumn : public Column {
public:
    using Column::Column;
    std::string cell(const Account &account) const override
    {
        return std::to_string(account.entries) + (account.entries == 1 ? " entry" : " entries");
    }
};

class DayColumn : public Column {
public:
    using Column::Column;
    std::string cell(const Account &account) const override
    {
        return account.last_day.empty() ? "never" : account.last_day;
    }
};

bool by_balance(const Account &one, const Account &other)
{
    if (one.balance != other.balance)
        return one.balance > other.balance;
    return one.name < other.name;
}

bool by_kind(const Account &one, const Account &other)
{
    if (one.kind != other.kind)
        return one.kind < other.kind;
    return by_balance(one, other);
}

} // namespace

std::string Column::padded(const std::string &cell) const
{
    std::string result = cell.substr(0, static_cast<std::size_t>(width_));
    result.append(static_cast<std::size_t>(width_) - result.size(), ' ');
    return result;
}

void Table::add(std::unique_ptr<Column> column)
{
    columns_.push_back(std::move(column));
}

void Table::show_if(std::function<bool(const Account &)> wanted)
{
    filters_.push_back(std::move(wanted));
}

std::string Table::text(const std::vector<Account> &accounts) const
{
    std::ostringstream out;
    for (const auto &column : columns_)
        out << column->padded(column->title()) << "|";
    out << "\n";
    int width = 0;
    for (const auto &column : columns_)
        width += column->width() + 1;
    out << std::string(static_cast<std::size_t>(width), '-') << "\n";
    for (const Account &account : accounts) {
        bool is_wanted = std::all_of(filters_.begin(), filters_.end(),
                                     [&](const auto &wanted) { return wanted(account); });
        if (!is_wanted)
            continue;
        for (const auto &column : columns_)
            out << column->padded(column->cell(account)) << "|";
        out << "\n";
    }
    return out.str();
}

std::vector<Account> sorted_accounts(const Ledger &ledger, const Settings &settings)
{
    std::vector<Account> found;
    for (const auto &pair : ledger.accounts())
        found.push_back(pair.second);
    std::string order = settings.text("format", "sort", "name");
    if (order == "balance")
        std::sort(found.begin(), found.end(), by_balance);
    else if (order == "kind")
        std::sort(found.begin(), found.end(), by_kind);
    return found;
}

Table account_table(const Settings &settings)
{
    Table table;
    int width = static_cast<int>(settings.number("format", "width", 12));
    table.add(std::make_unique<NameColumn>("account", width));
    table.add(std::make_unique<MoneyColumn>("balance", 10,
                                            [](const Account &a) { return a.balance; }));
    if (settings.has("format", "largest"))
        table.add(std::make_unique<MoneyColumn>("largest", 9,
                                                [](const Account &a) { return a.largest; }));
    table.add(std::make_unique<CountColumn>("entries", 10));
    table.add(std::make_unique<DayColumn>("last", 10));
    long least = settings.number("format", "least", 0);
    table.show_if([least](const Account &a) { return a.balance >= least || a.balance < 0; });
    if (settings.text("format", "closed accounts", "show") == "hide")
        table.show_if([](const Account &a) { return !a.is_closed; });
    return table;
}

std::string summary(const Ledger &ledger, const Settings &settings)
{
    std::map<std::string, long> totals;
    for (const auto &pair : ledger.accounts())
        totals[pair.second.kind] += pair.second.balance;
    std::ostringstream out;
    for (const auto &pair : totals)
        out << pair.first << ": " << money(pair.second) << "\n";
    const auto &entries = ledger.entries();
    long turnover = std::accumulate(entries.begin(), entries.end(), 0L,
                                    [](long sum, const Entry &e) { return sum + e.cents; });
    out << "turnover: " << money(turnover) << " in " << entries.size() << " entries\n";
    if (ledger.rejected() > 0)
        out << ledger.rejected() << " rejected\n";
    std::string note = settings.text("format", "note", "");
    if (!note.empty()) {
        for (const Entry &entry : entries) {
            if (entry.note.find(note) != std::string::npos)
                out << entry.day << " " << entry.note << ": " << money(entry.cents) << "\n";
        }
    }
    return out.str();
}
