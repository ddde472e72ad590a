#include "formula.h"

#include <cctype>

static bool is_letter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const std::string signs = "+-*/%()<>=,&!";

static Token quoted(const std::string &line, std::size_t &at)
{
    Token token;
    token.kind = Kind::Text;
    token.column = static_cast<int>(at) + 1;
    at++;
    while (at < line.size() && line[at] != '"') {
        if (line[at] == '\\' && at + 1 < line.size())
            at++;
        token.text += line[at++];
    }
    if (at == line.size())
        throw FormulaError("text without end", token.column);
    at++;
    return token;
}

static Token number(const std::string &line, std::size_t &at)
{
    Token token;
    token.kind = Kind::Number;
    token.column = static_cast<int>(at) + 1;
    while (at < line.size() && (is_digit(line[at]) || line[at] == '_')) {
        if (line[at] != '_')
            token.text += line[at];
        at++;
    }
    token.value = std::stol(token.text);
    if (at < line.size() && line[at] == 'k') {
        token.value *= 1000;
        at++;
    }
    return token;
}

std::vector<Token> tokens_of(const std::string &line)
{
    std::vector<Token> found;
    std::size_t at = 0;
    bool is_spaced = false;
    while (at < line.size()) {
        char c = line[at];
        if (std::isspace(static_cast<unsigned char>(c))) {
            is_spaced = true;
            at++;
            continue;
        }
        if (c == ';')
            break;
        Token token;
        if (c == '"') {
            token = quoted(line, at);
        } else if (is_digit(c)) {
            token = number(line, at);
        } else if (is_letter(c)) {
            token.kind = Kind::Name;
            token.column = static_cast<int>(at) + 1;
            while (at < line.size() && (is_letter(line[at]) || is_digit(line[at])))
                token.text += line[at++];
        } else if (signs.find(c) != std::string::npos) {
            token.kind = Kind::Sign;
            token.column = static_cast<int>(at) + 1;
            token.text = c;
            at++;
            if ((c == '<' || c == '>' || c == '!') && at < line.size() && line[at] == '=')
                token.text += line[at++];
        } else {
            throw FormulaError(std::string("unknown sign ") + c, static_cast<int>(at) + 1);
        }
        token.is_spaced = is_spaced;
        is_spaced = false;
        found.push_back(token);
    }
    Token end;
    end.column = static_cast<int>(line.size()) + 1;
    found.push_back(end);
    return found;
}
