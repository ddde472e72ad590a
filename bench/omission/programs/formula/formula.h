#ifndef FORMULA_H
#define FORMULA_H

#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

// --- tokens ----------------------------------------------------------------------------------

enum class Kind { Number, Name, Text, Sign, End };

struct Token {
    Kind kind = Kind::End;
    std::string text;
    long value = 0;
    int column = 0;
    bool is_spaced = false;
};

std::vector<Token> tokens_of(const std::string &line);

class FormulaError : public std::runtime_error {
public:
    FormulaError(const std::string &what, int column)
        : std::runtime_error(what + " in column " + std::to_string(column)), column_(column) {}
    int column() const { return column_; }

private:
    int column_;
};

// --- values ----------------------------------------------------------------------------------

struct Value {
    bool is_text = false;
    long number = 0;
    std::string text;
};

Value number_value(long number);
Value text_value(const std::string &text);
std::string shown(const Value &value);

// --- cells and functions ---------------------------------------------------------------------

using Function = std::function<Value(const std::vector<Value> &)>;

struct Builtin {
    std::string name;
    std::size_t least = 0;
    std::size_t most = 0;
    bool is_pure = true;
    Function run;
};

class Sheet;

class Node {
public:
    virtual ~Node() = default;
    virtual Value value(Sheet &sheet) const = 0;
    virtual int depth() const { return 1; }
    virtual bool is_constant() const { return false; }
};

using NodePtr = std::unique_ptr<Node>;

NodePtr parsed(const std::string &line);
NodePtr simplified(NodePtr node, Sheet &sheet);
const Builtin *builtin(const std::string &name);

class Sheet {
public:
    void define(const std::string &name, NodePtr node);
    Value cell(const std::string &name);
    void forget();
    std::vector<std::string> names() const;
    int evaluations() const { return evaluations_; }

private:
    struct Cell {
        NodePtr node;
        Value known;
        bool is_known = false;
        bool is_open = false;
        int uses = 0;
    };
    std::map<std::string, Cell> cells_;
    int evaluations_ = 0;

    friend std::string listing(const Sheet &sheet, const std::string &order);
};

std::string listing(const Sheet &sheet, const std::string &order);

#endif
