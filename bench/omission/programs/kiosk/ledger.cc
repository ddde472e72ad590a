#include "kiosk.h"

#include <algorithm>

void Ledger::note(const Sale &sale)
{
    sales.push_back(sale);
}

int Ledger::total() const
{
    int sum = 0;
    for (const Sale &sale : sales)
        sum += sale.cents;
    return sum;
}

std::map<std::string, int> Ledger::by_rider() const
{
    std::map<std::string, int> sums;
    for (const Sale &sale : sales)
        sums[sale.rider] += sale.cents;
    return sums;
}

std::vector<Sale> Ledger::largest(int count) const
{
    std::vector<Sale> sorted = sales;
    std::stable_sort(sorted.begin(), sorted.end(), [](const Sale &a, const Sale &b) {
        return a.cents > b.cents;
    });
    if (static_cast<int>(sorted.size()) > count)
        sorted.erase(sorted.begin() + count, sorted.end());
    return sorted;
}

std::string money(int cents)
{
    std::string text = std::to_string(cents % 100);
    if (text.size() < 2)
        text = "0" + text;
    return std::to_string(cents / 100) + "." + text;
}

std::string padded(const std::string &text, int width)
{
    std::string result = text;
    while (static_cast<int>(result.size()) < width)
        result += ' ';
    return result;
}
