// The distance of two words, asked with a limit that is not exceeded.
#include <cassert>
#include <string>

#include "rapidfuzz/string_metric.hpp"

int main()
{
    const std::string from = "bcc", to = "ac";
    std::size_t distance = rapidfuzz::string_metric::levenshtein(from, to, {1, 1, 1}, 2);
    assert(distance == 2);
    return 0;
}
