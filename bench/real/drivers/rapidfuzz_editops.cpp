// Which edits turn one text of more than 64 letters into another?  Checked by making these edits.
#include <iostream>
#include <string>

#include "rapidfuzz/string_metric.hpp"

static std::string edited(const std::string& from, const std::string& to)
{
    std::string result;
    std::size_t at = 0;
    for (const auto& edit : rapidfuzz::string_metric::levenshtein_editops(from, to)) {
        while (at < edit.src_pos) result += from.at(at++);
        if (edit.type == rapidfuzz::LevenshteinEditType::Insert)
            result += to.at(edit.dest_pos);
        else if (edit.type == rapidfuzz::LevenshteinEditType::Replace)
            result += to.at(edit.dest_pos), ++at;
        else
            ++at;
    }
    return result + from.substr(at);
}

int main()
{
    std::string from, to;
    for (int i = 0; i < 70; ++i) {
        from += static_cast<char>('a' + i * 7 % 26);
        to += static_cast<char>('a' + i * 5 % 26);
    }
    const std::string got = edited(from, to);
    std::cout << got << '\n';
    return got == to ? 0 : 1;
}
