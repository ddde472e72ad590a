#include <iostream>
#include <string>
#include <vector>
struct Line { std::string text; int width; };
static std::vector<Line> wrapped(const std::vector<std::string> &words, int limit) {
    std::vector<Line> lines;
    for (const auto &word : words) {
        int width = static_cast<int>(word.size());
        if (!lines.empty() && lines.back().width + width @{<|<=} limit) {
            lines.back().text += word;
            lines.back().width += width;
        } else {
            lines.push_back({word, width});
        }
    }
    return lines;
}
static int longest(const std::vector<Line> &lines) {
    int best = 0;
    for (const auto &line : lines)
        if (line.width > best)
            best = line.width;
    return best;
}
int main() {
    std::cout << longest(wrapped({"ab", "cd", "efg", "h"}, 4)) << '\n';
}
