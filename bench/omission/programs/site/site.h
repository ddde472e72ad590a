#ifndef SITE_H
#define SITE_H

#include <functional>
#include <iosfwd>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

class Value;
using ValuePtr = std::shared_ptr<Value>;

/* What a page is made of: a text, a number, a list or a record. */
class Value {
public:
    virtual ~Value() = default;
    virtual std::string text() const = 0;
    virtual bool truth() const = 0;
    virtual std::vector<ValuePtr> items() const { return {}; }
    virtual ValuePtr field(const std::string &) const { return nullptr; }
    virtual bool before(const Value &other) const { return text() < other.text(); }
};

class Text : public Value {
public:
    explicit Text(std::string text) : text_(std::move(text)) {}
    std::string text() const override { return text_; }
    bool truth() const override { return !text_.empty(); }

private:
    std::string text_;
};

class Number : public Value {
public:
    explicit Number(long value) : value_(value) {}
    std::string text() const override { return std::to_string(value_); }
    bool truth() const override { return value_ != 0; }
    bool before(const Value &other) const override;

private:
    long value_;
};

class List : public Value {
public:
    std::string text() const override;
    bool truth() const override { return !items_.empty(); }
    std::vector<ValuePtr> items() const override { return items_; }
    void add(ValuePtr value) { items_.push_back(std::move(value)); }

private:
    std::vector<ValuePtr> items_;
};

class Record : public Value {
public:
    std::string text() const override;
    bool truth() const override { return !fields_.empty(); }
    ValuePtr field(const std::string &name) const override;
    void set(const std::string &name, ValuePtr value) { fields_[name] = std::move(value); }

private:
    std::map<std::string, ValuePtr> fields_;
};

class SyntaxError : public std::runtime_error {
public:
    SyntaxError(int line, const std::string &text)
        : std::runtime_error("line " + std::to_string(line) + ": " + text)
    {
    }
};

/* Names and what they stand for; an inner scope hides an outer one. */
class Scope {
public:
    explicit Scope(const Scope *outer = nullptr) : outer_(outer) {}
    void set(const std::string &name, ValuePtr value) { names_[name] = std::move(value); }
    ValuePtr find(const std::string &path) const;

private:
    ValuePtr lookup(const std::string &name) const;

    const Scope *outer_;
    std::map<std::string, ValuePtr> names_;
};

using Filter = std::function<std::string(const std::string &, const std::string &)>;

/* A filter and its argument, as in `name|pad:8`. */
struct Step {
    std::string name;
    std::string argument;
    bool has_argument = false;
    Filter filter;
};

struct Settings {
    bool is_strict = false;
    bool escapes = true;
    int depth = 8;
    std::string missing = "?";
};

class Block;
using BlockPtr = std::unique_ptr<Block>;

struct Output {
    std::ostream &stream;
    const Settings &settings;
    int holes = 0;
    int depth = 0;
};

/* A part of a template. */
class Block {
public:
    virtual ~Block() = default;
    virtual void render(Output &out, const Scope &scope) const = 0;
    virtual int weight() const { return 1; }
};

struct Page {
    std::vector<BlockPtr> blocks;
    std::vector<std::string> names;  // the names that it uses, sorted
    int weight = 0;
};

/* data.cc */
Scope read_data(std::istream &in, Settings &settings);

/* filters.cc */
std::map<std::string, Filter> make_filters();
std::string apply(const std::vector<Step> &steps, std::string text);

/* template.cc */
Page parse_page(const std::string &source, const std::map<std::string, Filter> &filters);

#endif
