// How similar is a text of more than 64 letters to the best part of a longer text?
#include <cstdio>
#include <string>

#include "rapidfuzz/fuzz.hpp"

int main()
{
    std::u32string needle;
    for (int i = 0; i < 70; ++i) needle += static_cast<char32_t>(0x430 + i * 7 % 32);
    // One of the 70 letters is another one.
    const std::u32string text = U"before " + needle.substr(0, 40) + U"!" + needle.substr(41) + U" and after";
    std::printf("%.2f\n", rapidfuzz::fuzz::partial_ratio(needle, text));
    return 0;
}
