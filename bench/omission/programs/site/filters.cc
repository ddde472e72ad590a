#include "site.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace {

std::string upper(const std::string &text, const std::string &)
{
    std::string made = text;
    std::transform(made.begin(), made.end(), made.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return made;
}

std::string title(const std::string &text, const std::string &)
{
    std::string made;
    bool is_start = true;
    for (char c : text) {
        made += is_start ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
        is_start = c == ' ' || c == '-';
    }
    return made;
}

std::string pad(const std::string &text, const std::string &argument)
{
    size_t width = std::stoul(argument);
    return text.size() < width ? text + std::string(width - text.size(), '.') : text;
}

std::string money(const std::string &text, const std::string &unit)
{
    long cents = std::stol(text);
    std::ostringstream out;
    if (cents < 0)
        out << '-';
    cents = cents < 0 ? -cents : cents;
    out << cents / 100 << '.' << cents % 100 / 10 << cents % 10;
    if (!unit.empty())
        out << ' ' << unit;
    return out.str();
}

std::string cut(const std::string &text, const std::string &argument)
{
    size_t width = std::stoul(argument);
    if (text.size() <= width)
        return text;
    size_t space = text.rfind(' ', width);
    return text.substr(0, space == std::string::npos ? width : space) + "...";
}

std::string plural(const std::string &text, const std::string &word)
{
    return text + ' ' + word + (text == "1" ? "" : "s");
}

std::string words(const std::string &text, const std::string &separator)
{
    std::istringstream in(text);
    std::vector<std::string> all;
    for (std::string word; in >> word;)
        all.push_back(word);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::string made;
    for (size_t i = 0; i < all.size(); i++)
        made += (i ? separator : "") + all[i];
    return made;
}

}  // namespace

std::map<std::string, Filter> make_filters()
{
    std::map<std::string, Filter> filters;
    filters["upper"] = upper;
    filters["title"] = title;
    filters["pad"] = pad;
    filters["money"] = money;
    filters["cut"] = cut;
    filters["plural"] = plural;
    filters["words"] = words;
    filters["or"] = [](const std::string &text, const std::string &other) {
        return text.empty() ? other : text;
    };
    int count = 0;
    filters["count"] = [count](const std::string &text, const std::string &) mutable {
        return std::to_string(++count) + ". " + text;
    };
    return filters;
}

std::string apply(const std::vector<Step> &steps, std::string text)
{
    for (const Step &step : steps)
        text = step.filter(text, step.argument);
    return text;
}
