#include <iostream>
#include <sstream>
#include <string>
#include <vector>

// Wraps words into lines of a width, and numbers the lines.

class Wrapper {
public:
    explicit Wrapper(std::size_t width) : width_(width) {}

    void word(const std::string &text) {
        std::size_t needed = line_.size() + text.size() + @{2|1};
        if (!line_.empty() && needed > width_)
            flush();
        if (!line_.empty())
            line_ += ' ';
        line_ += text;
    }

    void flush() {
        if (line_.empty())
            return;
        lines_.push_back(line_);
        line_.clear();
    }

    const std::vector<std::string> &lines() const { return lines_; }

private:
    std::size_t width_;
    std::string line_;
    std::vector<std::string> lines_;
};

static std::vector<std::string> wrap(const std::string &text, std::size_t width) {
    Wrapper wrapper(width);
    std::istringstream words(text);
    std::string word;
    while (words >> word)
        wrapper.word(word);
    wrapper.flush();
    return wrapper.lines();
}

int main() {
    std::vector<std::string> lines = wrap("the quick brown fox jumps over", 9);
    std::size_t count = lines.size();
    std::cout << count << " lines" << std::endl;
    return 0;
}
