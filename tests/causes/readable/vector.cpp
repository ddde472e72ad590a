// The largest is looked for from the second item on, with a reference and iterators.
#include <cstdio>
#include <optional>
#include <string>
#include <vector>
static std::optional<int> largest(const std::vector<int> &v)
{
    if (v.empty())
        return std::nullopt;
    int best = v.front();
    for (auto it = v.begin() + 1; it != v.end(); ++it) {
        const int &x = *it;
        if (x < best)  //- if (x > best)
            best = x;
    }
    return best;
}
int main()
{
    std::vector<int> v{3, 9, 4};
    auto found = largest(v);
    std::string text = found ? std::to_string(*found) : "none";
    std::puts(text.c_str());
    if (text != "9")
        return 1;
    return 0;
}
//? why: text != "9"
//? why: `v.empty()` was false
//! why: code without a line
