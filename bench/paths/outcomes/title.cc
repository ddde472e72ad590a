// Checks a title that its argument gives: std::string, std::vector, std::sort, virtual functions.
#include <algorithm>
#include <cctype>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Rule {
    virtual ~Rule() = default;
    virtual const char *broken(const std::string &text) const = 0;
};

struct Short : Rule {
    const char *broken(const std::string &text) const override {
        return text.size() > 8 ? "long" : nullptr;
    }
};

struct Upper : Rule {
    const char *broken(const std::string &text) const override {
        return text.empty() || !std::isupper(static_cast<unsigned char>(text[0])) ? "lower" : nullptr;
    }
};

struct NoTwice : Rule {
    const char *broken(const std::string &text) const override {
        return text.find("  ") != std::string::npos ? "two-spaces" : nullptr;
    }
};

int main(int argc, char **argv) {
    std::string title = argc > 1 ? argv[1] : "";
    std::vector<std::unique_ptr<Rule>> rules;
    rules.push_back(std::make_unique<Short>());
    rules.push_back(std::make_unique<Upper>());
    rules.push_back(std::make_unique<NoTwice>());
    for (const auto &rule : rules)
        if (const char *why = rule->broken(title)) {
            std::puts(why);
            return 1;
        }
    auto colon = title.find(':');
    if (colon != std::string::npos) {
        std::string part = title.substr(colon + 1);
        std::puts(part == "end" ? "part-end" : part.empty() ? "part-empty" : "part");
        return 0;
    }
    std::vector<char> letters(title.begin(), title.end());
    std::sort(letters.begin(), letters.end());
    bool is_twice = std::adjacent_find(letters.begin(), letters.end()) != letters.end();
    std::puts(is_twice ? "letter-twice" : "plain");
}
