// Does a path fit a pattern?   wildcard PATTERN PATH
//
//   ?  one character    *  characters but '/'    **  any characters    [a-z] [!a-z]  a class
//   {ab,cd}  one of some texts    \x  x
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

class Piece {
public:
    virtual ~Piece() = default;
    // Where may matching go on, if this piece begins at `at`?
    virtual std::vector<size_t> ends(const std::string &text, size_t at) const = 0;
};

class Literal : public Piece {
public:
    explicit Literal(char c) : c_(c) {}
    std::vector<size_t> ends(const std::string &text, size_t at) const override
    {
        if (at < text.size() && text[at] == c_)
            return {at + 1};
        return {};
    }

private:
    char c_;
};

class AnyCharacter : public Piece {
public:
    std::vector<size_t> ends(const std::string &text, size_t at) const override
    {
        if (at < text.size() && text[at] != '/')
            return {at + 1};
        return {};
    }
};

class Run : public Piece {
public:
    explicit Run(bool crosses) : crosses_(crosses) {}
    std::vector<size_t> ends(const std::string &text, size_t at) const override
    {
        std::vector<size_t> found{at};
        while (at < text.size() && (crosses_ || text[at] != '/'))
            found.push_back(++at);
        return found;
    }

private:
    bool crosses_;
};

class Class : public Piece {
public:
    Class(std::string members, bool is_negated) : members_(members), is_negated_(is_negated) {}
    std::vector<size_t> ends(const std::string &text, size_t at) const override
    {
        if (at >= text.size() || text[at] == '/')
            return {};
        bool is_in = false;
        for (size_t i = 0; i < members_.size(); i++) {
            if (i + 2 < members_.size() && members_[i + 1] == '-') {
                if (members_[i] <= text[at] && text[at] <= members_[i + 2])
                    is_in = true;
                i += 2;
            } else if (members_[i] == text[at]) {
                is_in = true;
            }
        }
        if (is_in != is_negated_)
            return {at + 1};
        return {};
    }

private:
    std::string members_;
    bool is_negated_;
};

class OneOf : public Piece {
public:
    explicit OneOf(std::vector<std::string> texts) : texts_(std::move(texts)) {}
    std::vector<size_t> ends(const std::string &text, size_t at) const override
    {
        std::vector<size_t> found;
        for (const std::string &one : texts_)
            if (text.compare(at, one.size(), one) == 0)
                found.push_back(at + one.size());
        return found;
    }

private:
    std::vector<std::string> texts_;
};

using Pieces = std::vector<std::unique_ptr<Piece>>;

static bool parse(const char *p, Pieces &pieces)
{
    while (*p != '\0') {
        if (*p == '\\' && p[1] != '\0') {
            pieces.push_back(std::make_unique<Literal>(p[1]));
            p += 2;
        } else if (*p == '?') {
            pieces.push_back(std::make_unique<AnyCharacter>());
            p++;
        } else if (*p == '*') {
            bool crosses = p[1] == '*';
            p += crosses ? 2 : 1;
            pieces.push_back(std::make_unique<Run>(crosses));
        } else if (*p == '[') {
            const char *end = strchr(p + 1, ']');
            if (end == nullptr)
                return false;
            bool is_negated = p[1] == '!';
            std::string members(p + 1 + is_negated, end);
            pieces.push_back(std::make_unique<Class>(members, is_negated));
            p = end + 1;
        } else if (*p == '{') {
            std::vector<std::string> texts(1);
            for (p++; *p != '}'; p++) {
                if (*p == '\0')
                    return false;
                if (*p == ',')
                    texts.emplace_back();
                else
                    texts.back() += *p;
            }
            pieces.push_back(std::make_unique<OneOf>(texts));
            p++;
        } else {
            pieces.push_back(std::make_unique<Literal>(*p++));
        }
    }
    return true;
}

static bool fits(const Pieces &pieces, size_t number, const std::string &text, size_t at)
{
    if (number == pieces.size())
        return at == text.size();
    for (size_t end : pieces[number]->ends(text, at))
        if (fits(pieces, number + 1, text, end))
            return true;
    return false;
}

int main(int argc, char **argv)
{
    Pieces pieces;
    if (argc < 3 || !parse(argv[1], pieces)) {
        puts("bad pattern");
        return 2;
    }
    bool is_fit = fits(pieces, 0, argv[2], 0);
    puts(is_fit ? "fits" : "does not fit");
    return !is_fit;
}
