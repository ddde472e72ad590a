#include "report.h"

#include <cctype>
#include <stdexcept>

std::string trimmed(const std::string &text)
{
    std::size_t first = 0, last = text.size();
    while (first < last && std::isspace(static_cast<unsigned char>(text[first])))
        first++;
    while (last > first && std::isspace(static_cast<unsigned char>(text[last - 1])))
        last--;
    return text.substr(first, last - first);
}

std::vector<std::string> split(const std::string &text, char separator)
{
    std::vector<std::string> parts;
    std::string part;
    for (char c : text) {
        if (c == separator) {
            if (!part.empty())
                parts.push_back(part);
            part.clear();
        } else {
            part += c;
        }
    }
    if (!part.empty())
        parts.push_back(part);
    return parts;
}

// Inside quotes, a hash is no comment.
static std::string without_comment(const std::string &line)
{
    bool is_quoted = false;
    for (std::size_t i = 0; i < line.size(); i++) {
        if (line[i] == '"')
            is_quoted = !is_quoted;
        if (line[i] == '#' && !is_quoted)
            return line.substr(0, i);
    }
    return line;
}

static std::string unquoted(const std::string &text)
{
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        return text.substr(1, text.size() - 2);
    return text;
}

static std::string lower(const std::string &text)
{
    std::string result;
    for (char c : text)
        result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

void Settings::read_line(const std::string &line)
{
    std::string text = trimmed(without_comment(line));
    if (text.empty())
        return;
    if (text.front() == '[') {
        if (text.back() != ']')
            throw std::runtime_error("section without bracket: " + text);
        section_ = lower(trimmed(text.substr(1, text.size() - 2)));
        return;
    }
    std::size_t equals = text.find('=');
    if (equals == std::string::npos)
        throw std::runtime_error("no value: " + text);
    std::string name = lower(trimmed(text.substr(0, equals)));
    std::string value = unquoted(trimmed(text.substr(equals + 1)));
    std::string &known = values_[section_][name];
    if (!known.empty() && name.front() == '+')
        known += "," + value;
    else
        known = value;
}

bool Settings::has(const std::string &section, const std::string &name) const
{
    auto found = values_.find(section);
    return found != values_.end() && found->second.count(name) > 0;
}

std::string Settings::text(const std::string &section, const std::string &name,
                           const std::string &otherwise) const
{
    auto found = values_.find(section);
    if (found == values_.end())
        return otherwise;
    auto value = found->second.find(name);
    if (value == found->second.end())
        return otherwise;
    return value->second;
}

long Settings::number(const std::string &section, const std::string &name, long otherwise) const
{
    std::string found = text(section, name, "");
    if (found.empty())
        return otherwise;
    long value = 0;
    bool is_negative = false;
    for (char c : found) {
        if (c == '-')
            is_negative = true;
        else if (c >= '0' && c <= '9')
            value = value * 10 + (c - '0');
        else
            throw std::invalid_argument("not a number: " + name + " = " + found);
    }
    return is_negative ? -value : value;
}

std::vector<std::string> Settings::names(const std::string &section) const
{
    std::vector<std::string> found;
    auto values = values_.find(section);
    if (values != values_.end()) {
        for (const auto &pair : values->second)
            found.push_back(pair.first);
    }
    return found;
}
