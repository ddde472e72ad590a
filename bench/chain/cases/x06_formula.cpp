// A pocket calculator: variables, brackets, the usual order of operations.
#include <cctype>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

class Parser {
public:
    Parser(const std::string &text, std::map<std::string, long> &variables)
        : text_(text), variables_(variables)
    {
    }

    long statement()
    {
        std::size_t start = at_;
        std::string name = word();
        blanks();
        if (!name.empty() && peek() == '=') {
            at_++;
            long value = sum();
            variables_[name] = value;
            return value;
        }
        at_ = start;
        return sum();
    }

private:
    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

    void blanks()
    {
        while (std::isspace(static_cast<unsigned char>(peek())))
            at_++;
    }

    std::string word()
    {
        blanks();
        std::string found;
        while (std::isalpha(static_cast<unsigned char>(peek())))
            found += text_[at_++];
        return found;
    }

    long sum()
    {
        long left = product();
        for (;;) {
            blanks();
            char sign = peek();
            if (sign != '+' && sign != '-')
                return left;
            at_++;
            long right = @{sign == '-' ? sum() : product()|product()};
            left = sign == '+' ? left + right : left - right;
        }
    }

    long product()
    {
        long left = atom();
        for (;;) {
            blanks();
            char sign = peek();
            if (sign != '*' && sign != '/')
                return left;
            at_++;
            long right = atom();
            if (sign == '/' && right == 0)
                throw std::runtime_error("division by zero");
            left = sign == '*' ? left * right : left / right;
        }
    }

    long atom()
    {
        blanks();
        if (peek() == '(') {
            at_++;
            long inner = sum();
            blanks();
            at_++;
            return inner;
        }
        if (std::isdigit(static_cast<unsigned char>(peek()))) {
            long number = 0;
            while (std::isdigit(static_cast<unsigned char>(peek())))
                number = 10 * number + (text_[at_++] - '0');
            return number;
        }
        std::string name = word();
        auto known = variables_.find(name);
        return known == variables_.end() ? 0 : known->second;
    }

    std::string text_;
    std::size_t at_ = 0;
    std::map<std::string, long> &variables_;
};

int main()
{
    std::map<std::string, long> variables;
    const char *lines[] = {"price = 12 * (3 + 1)", "paid = 100", "rest = paid - price - 2"};
    for (const char *line : lines)
        Parser(line, variables).statement();
    std::string question = "rest / 2 + 1";
    long answer = Parser(question, variables).statement();
    std::cout << question << " is " << answer << "\n";
    return 0;
}
