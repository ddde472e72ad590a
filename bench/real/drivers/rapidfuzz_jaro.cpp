// The Jaro similarity of a short text and one of more than 64 letters.
#include <cassert>
#include <iostream>
#include <string>

#include "rapidfuzz/string_metric.hpp"

int main()
{
    const std::string word = "chocolate cake with cherries";
    const std::string text = "a large and very sweet cake of dark chocolate, made with fresh red cherries";
    std::cout << rapidfuzz::string_metric::jaro_similarity(word, text) << '\n';
    return 0;
}
