#include "formula.h"

#include <algorithm>

namespace {

class Constant : public Node {
public:
    explicit Constant(Value value) : value_(std::move(value)) {}
    Value value(Sheet &) const override { return value_; }
    bool is_constant() const override { return true; }

private:
    Value value_;
};

class Reference : public Node {
public:
    explicit Reference(std::string name) : name_(std::move(name)) {}
    Value value(Sheet &sheet) const override { return sheet.cell(name_); }

private:
    std::string name_;
};

class Operation : public Node {
public:
    Operation(std::string sign, NodePtr left, NodePtr right, int column)
        : sign_(std::move(sign)), left_(std::move(left)), right_(std::move(right)),
          column_(column) {}

    Value value(Sheet &sheet) const override;

    int depth() const override { return 1 + std::max(left_->depth(), right_->depth()); }

    bool is_constant() const override { return left_->is_constant() && right_->is_constant(); }

private:
    std::string sign_;
    NodePtr left_, right_;
    int column_;
};

class Call : public Node {
public:
    Call(const Builtin *called, std::vector<NodePtr> arguments)
        : called_(called), arguments_(std::move(arguments)) {}

    Value value(Sheet &sheet) const override
    {
        std::vector<Value> values;
        for (const NodePtr &argument : arguments_)
            values.push_back(argument->value(sheet));
        return called_->run(values);
    }

    int depth() const override
    {
        int deepest = 0;
        for (const NodePtr &argument : arguments_)
            deepest = std::max(deepest, argument->depth());
        return 1 + deepest;
    }

    bool is_constant() const override
    {
        return called_->is_pure
               && std::all_of(arguments_.begin(), arguments_.end(),
                              [](const NodePtr &each) { return each->is_constant(); });
    }

private:
    const Builtin *called_;
    std::vector<NodePtr> arguments_;
};

Value Operation::value(Sheet &sheet) const
{
    Value left = left_->value(sheet);
    Value right = right_->value(sheet);
    if (sign_ == "&") {
        std::string one = left.is_text ? left.text : std::to_string(left.number);
        std::string other = right.is_text ? right.text : std::to_string(right.number);
        return text_value(one + other);
    }
    if (left.is_text != right.is_text)
        throw FormulaError("text and number", column_);
    if (left.is_text) {
        int order = left.text.compare(right.text);
        left = number_value(order);
        right = number_value(0);
    }
    long one = left.number, other = right.number;
    if (sign_ == "+")
        return number_value(one + other);
    if (sign_ == "-")
        return number_value(one - other);
    if (sign_ == "*")
        return number_value(one * other);
    if (sign_ == "/" || sign_ == "%") {
        if (other == 0)
            throw FormulaError("division by zero", column_);
        return number_value(sign_ == "/" ? one / other : one % other);
    }
    if (sign_ == "<")
        return number_value(one < other);
    if (sign_ == "<=")
        return number_value(one <= other);
    if (sign_ == ">")
        return number_value(one > other);
    if (sign_ == ">=")
        return number_value(one >= other);
    return number_value(sign_ == "=" ? one == other : one != other);
}

class Parser {
public:
    explicit Parser(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    NodePtr whole()
    {
        NodePtr node = operation(1);
        if (next().kind != Kind::End)
            throw FormulaError("unexpected " + next().text, next().column);
        return node;
    }

private:
    const Token &next() const { return tokens_[at_]; }

    NodePtr operation(int least);
    NodePtr operand();
    NodePtr call(const Token &name);

    std::vector<Token> tokens_;
    std::size_t at_ = 0;
};

int precedence(const Token &token)
{
    static const std::map<std::string, int> known = {
        {"=", 1}, {"!=", 1}, {"<", 2}, {"<=", 2}, {">", 2}, {">=", 2},
        {"&", 3}, {"+", 4},  {"-", 4}, {"*", 5},  {"/", 5}, {"%", 5},
    };
    if (token.kind != Kind::Sign)
        return 0;
    auto found = known.find(token.text);
    return found == known.end() ? 0 : found->second;
}

NodePtr Parser::operation(int least)
{
    NodePtr left = operand();
    while (precedence(next()) >= least) {
        Token sign = next();
        at_++;
        NodePtr right = operation(precedence(sign) + 1);
        left = std::make_unique<Operation>(sign.text, std::move(left), std::move(right),
                                           sign.column);
    }
    return left;
}

NodePtr Parser::call(const Token &name)
{
    const Builtin *called = builtin(name.text);
    if (called == nullptr)
        throw FormulaError("no function " + name.text, name.column);
    at_++;
    std::vector<NodePtr> arguments;
    while (next().text != ")") {
        arguments.push_back(operation(1));
        if (next().text == ",")
            at_++;
        else if (next().text != ")")
            throw FormulaError("no end of arguments", next().column);
    }
    at_++;
    if (arguments.size() < called->least || arguments.size() > called->most)
        throw FormulaError("wrong number of arguments for " + name.text, name.column);
    return std::make_unique<Call>(called, std::move(arguments));
}

NodePtr Parser::operand()
{
    Token token = next();
    at_++;
    if (token.kind == Kind::Number)
        return std::make_unique<Constant>(number_value(token.value));
    if (token.kind == Kind::Text)
        return std::make_unique<Constant>(text_value(token.text));
    if (token.kind == Kind::Name) {
        if (next().text == "(" && !next().is_spaced)
            return call(token);
        return std::make_unique<Reference>(token.text);
    }
    if (token.text == "-") {
        NodePtr zero = std::make_unique<Constant>(number_value(0));
        return std::make_unique<Operation>("-", std::move(zero), operand(), token.column);
    }
    if (token.text == "(") {
        NodePtr node = operation(1);
        if (next().text != ")")
            throw FormulaError("no closing bracket", next().column);
        at_++;
        return node;
    }
    throw FormulaError("no operand", token.column);
}

} // namespace

NodePtr parsed(const std::string &line)
{
    Parser parser(tokens_of(line));
    return parser.whole();
}

NodePtr simplified(NodePtr node, Sheet &sheet)
{
    if (node->depth() > 1 && node->is_constant())
        return std::make_unique<Constant>(node->value(sheet));
    return node;
}
