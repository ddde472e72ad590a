#include "formula.h"

#include <algorithm>
#include <numeric>
#include <sstream>

Value number_value(long number)
{
    Value value;
    value.number = number;
    return value;
}

Value text_value(const std::string &text)
{
    Value value;
    value.is_text = true;
    value.text = text;
    return value;
}

std::string shown(const Value &value)
{
    if (value.is_text)
        return '"' + value.text + '"';
    return std::to_string(value.number);
}

static long sum(const std::vector<Value> &values)
{
    return std::accumulate(values.begin(), values.end(), 0L,
                           [](long total, const Value &value) { return total + value.number; });
}

static Value median(const std::vector<Value> &values)
{
    std::vector<long> numbers;
    for (const Value &value : values)
        numbers.push_back(value.number);
    std::sort(numbers.begin(), numbers.end());
    std::size_t half = numbers.size() / 2;
    if (numbers.size() % 2 == 0)
        return number_value((numbers[half - 1] + numbers[half]) / 2);
    return number_value(numbers[half]);
}

static Value joined(const std::vector<Value> &values)
{
    std::ostringstream out;
    const std::string &between = values.front().text;
    for (std::size_t i = 1; i < values.size(); i++) {
        if (i > 1)
            out << between;
        if (values[i].is_text)
            out << values[i].text;
        else
            out << values[i].number;
    }
    return text_value(out.str());
}

static Value repeated(const std::vector<Value> &values)
{
    std::string text;
    for (long i = 0; i < values[1].number; i++)
        text += values[0].text;
    return text_value(text);
}

static Value largest(const std::vector<Value> &values)
{
    auto found = std::max_element(
        values.begin(), values.end(),
        [](const Value &one, const Value &other) { return one.number < other.number; });
    return *found;
}

static std::vector<Builtin> made()
{
    std::vector<Builtin> all;
    auto add = [&all](const char *name, std::size_t least, std::size_t most, Function run) {
        Builtin builtin;
        builtin.name = name;
        builtin.least = least;
        builtin.most = most;
        builtin.run = std::move(run);
        all.push_back(std::move(builtin));
    };
    add("sum", 1, 99, [](const std::vector<Value> &v) { return number_value(sum(v)); });
    add("mean", 1, 99, [](const std::vector<Value> &v) {
        return number_value(sum(v) / static_cast<long>(v.size()));
    });
    add("median", 1, 99, median);
    add("max", 1, 99, largest);
    add("join", 2, 99, joined);
    add("repeat", 2, 2, repeated);
    add("length", 1, 1, [](const std::vector<Value> &v) {
        return number_value(static_cast<long>(v[0].text.size()));
    });
    add("if", 3, 3, [](const std::vector<Value> &v) { return v[0].number != 0 ? v[1] : v[2]; });
    return all;
}

const Builtin *builtin(const std::string &name)
{
    static const std::vector<Builtin> all = made();
    auto found = std::find_if(all.begin(), all.end(),
                              [&name](const Builtin &each) { return each.name == name; });
    return found == all.end() ? nullptr : &*found;
}
