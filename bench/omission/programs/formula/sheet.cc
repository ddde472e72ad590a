#include "formula.h"

#include <algorithm>
#include <sstream>

void Sheet::define(const std::string &name, NodePtr node)
{
    Cell &cell = cells_[name];
    cell.node = simplified(std::move(node), *this);
    cell.is_known = false;
    forget();
}

Value Sheet::cell(const std::string &name)
{
    auto found = cells_.find(name);
    if (found == cells_.end())
        throw std::out_of_range("no cell " + name);
    Cell &cell = found->second;
    cell.uses++;
    if (cell.is_known)
        return cell.known;
    if (cell.is_open)
        throw std::logic_error("circle through " + name);
    cell.is_open = true;
    evaluations_++;
    cell.known = cell.node->value(*this);
    cell.is_known = true;
    cell.is_open = false;
    return cell.known;
}

void Sheet::forget()
{
    for (auto &pair : cells_) {
        pair.second.is_known = false;
        pair.second.is_open = false;
    }
}

std::vector<std::string> Sheet::names() const
{
    std::vector<std::string> found;
    for (const auto &pair : cells_)
        found.push_back(pair.first);
    return found;
}

std::string listing(const Sheet &sheet, const std::string &order)
{
    std::vector<std::string> names = sheet.names();
    if (order == "uses") {
        std::stable_sort(names.begin(), names.end(),
                         [&sheet](const std::string &one, const std::string &other) {
                             return sheet.cells_.at(one).uses > sheet.cells_.at(other).uses;
                         });
    } else if (order == "length") {
        std::sort(names.begin(), names.end(),
                  [](const std::string &one, const std::string &other) {
                      if (one.size() != other.size())
                          return one.size() < other.size();
                      return one < other;
                  });
    }
    std::ostringstream out;
    for (const std::string &name : names) {
        const auto &cell = sheet.cells_.at(name);
        out << name << " used " << cell.uses << (cell.is_known ? "" : " (unknown)") << "\n";
    }
    return out.str();
}
