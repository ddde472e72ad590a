#include "site.h"

#include <cctype>
#include <istream>

namespace {

/* Reads values such as `12`, `"a b"`, `[1, 2]` and `{name: Ann, age: 3}`. */
class Parser {
public:
    Parser(const std::string &line, int number) : line_(line), number_(number) {}

    ValuePtr value()
    {
        skip();
        if (peek() == '[')
            return list();
        if (peek() == '{')
            return record();
        if (peek() == '"')
            return std::make_shared<Text>(quoted());
        return plain();
    }

    void finish()
    {
        skip();
        if (at_ < line_.size())
            fail("unexpected " + line_.substr(at_));
    }

private:
    char peek() const { return at_ < line_.size() ? line_[at_] : '\0'; }

    void skip()
    {
        while (at_ < line_.size() && std::isspace(static_cast<unsigned char>(line_[at_])))
            at_++;
    }

    bool take(char wanted)
    {
        skip();
        if (peek() != wanted)
            return false;
        at_++;
        return true;
    }

    [[noreturn]] void fail(const std::string &text) const { throw SyntaxError(number_, text); }

    std::string quoted()
    {
        std::string text;
        at_++;
        while (peek() != '"') {
            if (at_ >= line_.size())
                fail("no closing quote");
            if (peek() == '\\')
                at_++;
            text += peek();
            at_++;
        }
        at_++;
        return text;
    }

    std::string word()
    {
        size_t start = at_;
        while (at_ < line_.size() && std::string(",:[]{}").find(line_[at_]) == std::string::npos)
            at_++;
        size_t end = at_;
        while (end > start && line_[end - 1] == ' ')
            end--;
        return line_.substr(start, end - start);
    }

    ValuePtr plain()
    {
        std::string text = word();
        if (text.empty())
            fail("no value");
        size_t digits = text[0] == '-' ? 1 : 0;
        if (text.size() > digits && text.find_first_not_of("0123456789", digits) == std::string::npos)
            return std::make_shared<Number>(std::stol(text));
        return std::make_shared<Text>(text);
    }

    ValuePtr list()
    {
        auto made = std::make_shared<List>();
        take('[');
        if (take(']'))
            return made;
        do
            made->add(value());
        while (take(','));
        if (!take(']'))
            fail("no closing bracket");
        return made;
    }

    ValuePtr record()
    {
        auto made = std::make_shared<Record>();
        take('{');
        if (take('}'))
            return made;
        do {
            skip();
            std::string name = word();
            if (!take(':'))
                fail("no value of " + name);
            made->set(name, value());
        } while (take(','));
        if (!take('}'))
            fail("no closing brace");
        return made;
    }

    const std::string &line_;
    int number_;
    size_t at_ = 0;
};

bool read_setting(Settings &settings, const std::string &line)
{
    if (line == "!strict")
        settings.is_strict = true;
    else if (line == "!raw")
        settings.escapes = false;
    else if (line.rfind("!missing ", 0) == 0)
        settings.missing = line.substr(9);
    else if (line.rfind("!depth ", 0) == 0)
        settings.depth = std::stoi(line.substr(7));
    else
        return false;
    return true;
}

}  // namespace

Scope read_data(std::istream &in, Settings &settings)
{
    Scope scope;
    std::string line;
    for (int number = 1; std::getline(in, line) && line != "---"; number++) {
        if (line.empty() || line[0] == '#')
            continue;
        if (line[0] == '!') {
            if (!read_setting(settings, line))
                throw SyntaxError(number, "unknown setting " + line);
            continue;
        }
        size_t equals = line.find(" = ");
        if (equals == std::string::npos)
            throw SyntaxError(number, "no value in " + line);
        std::string rest = line.substr(equals + 3);
        Parser parser(rest, number);
        scope.set(line.substr(0, equals), parser.value());
        parser.finish();
    }
    return scope;
}
