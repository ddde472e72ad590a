// The similarity of two texts, one of them prepared for many comparisons.
#include <iostream>
#include <string>

#include "rapidfuzz/fuzz.hpp"

int main()
{
    // 65 letters, and the same ones with three edits: 63 letters.
    const std::string first = "baaabbaacbaacacbbbbabaacaacaacabcbcaabcbccacabbcbbccbcaacbbccbabb";
    const std::string second = "baaaybaacbaacacbbbbabaacaacaacacbcaabcbccacabcbbccbcaacbbccbabb";
    rapidfuzz::fuzz::CachedRatio<std::string> prepared(first);
    double score = prepared.ratio(second, 90.0);
    std::cout << score << '\n';
    return score > 96.0 ? 0 : 1;
}
