#include "site.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <sstream>

namespace {

std::string escaped(const std::string &text)
{
    std::string made;
    for (char c : text) {
        switch (c) {
        case '<':
            made += "&lt;";
            break;
        case '&':
            made += "&amp;";
            break;
        default:
            made += c;
        }
    }
    return made;
}

class Plain : public Block {
public:
    explicit Plain(std::string text) : text_(std::move(text)) {}
    void render(Output &out, const Scope &) const override { out.stream << text_; }
    int weight() const override { return 0; }

private:
    std::string text_;
};

class Hole : public Block {
public:
    Hole(std::string name, std::vector<Step> steps) : name_(std::move(name)), steps_(std::move(steps))
    {
    }

    void render(Output &out, const Scope &scope) const override
    {
        ValuePtr value = scope.find(name_);
        if (!value) {
            if (out.settings.is_strict)
                throw std::out_of_range("no value of " + name_);
            out.holes++;
            out.stream << out.settings.missing;
            return;
        }
        std::string text = apply(steps_, value->text());
        out.stream << (out.settings.escapes ? escaped(text) : text);
    }

private:
    std::string name_;
    std::vector<Step> steps_;
};

class Loop : public Block {
public:
    Loop(std::string name, std::string list, std::string key, bool is_turned)
        : name_(std::move(name)), list_(std::move(list)), key_(std::move(key)), is_turned_(is_turned)
    {
    }

    void add(BlockPtr block) { body_.push_back(std::move(block)); }

    void render(Output &out, const Scope &scope) const override
    {
        ValuePtr list = scope.find(list_);
        if (!list || !list->truth())
            return;
        if (++out.depth > out.settings.depth)
            throw std::length_error("too deep");
        long number = 0;
        for (const ValuePtr &each : sorted(list->items())) {
            Scope inner(&scope);
            inner.set(name_, each);
            inner.set("number", std::make_shared<Number>(++number));
            for (const BlockPtr &block : body_)
                block->render(out, inner);
        }
        out.depth--;
    }

    int weight() const override
    {
        int total = 2;
        for (const BlockPtr &block : body_)
            total += block->weight();
        return total;
    }

private:
    ValuePtr key_of(const ValuePtr &item) const
    {
        ValuePtr key = item->field(key_);
        return key ? key : item;
    }

    std::vector<ValuePtr> sorted(std::vector<ValuePtr> items) const
    {
        if (!key_.empty())
            std::stable_sort(items.begin(), items.end(), [this](const ValuePtr &a, const ValuePtr &b) {
                return key_of(a)->before(*key_of(b));
            });
        if (is_turned_)
            std::reverse(items.begin(), items.end());
        return items;
    }

    std::string name_;
    std::string list_;
    std::string key_;
    bool is_turned_;
    std::vector<BlockPtr> body_;
};

class Choice : public Block {
public:
    Choice(std::string name, bool is_negated) : name_(std::move(name)), is_negated_(is_negated) {}

    void add(BlockPtr block) { (is_else_ ? other_ : body_).push_back(std::move(block)); }
    void start_else() { is_else_ = true; }

    void render(Output &out, const Scope &scope) const override
    {
        ValuePtr value = scope.find(name_);
        bool is_true = value && value->truth();
        for (const BlockPtr &block : is_true != is_negated_ ? body_ : other_)
            block->render(out, scope);
    }

private:
    std::string name_;
    bool is_negated_;
    bool is_else_ = false;
    std::vector<BlockPtr> body_;
    std::vector<BlockPtr> other_;
};

/* Reads a template; blocks that are open lie on a stack of adders. */
class Reader {
public:
    Reader(const std::string &source, const std::map<std::string, Filter> &filters)
        : source_(source), filters_(filters)
    {
    }

    Page page()
    {
        while (at_ < source_.size()) {
            size_t open = source_.find('{', at_);
            plain(open == std::string::npos ? source_.size() : open);
            if (open == std::string::npos)
                break;
            if (source_.compare(open, 2, "{{") == 0)
                hole(inside("}}"));
            else if (source_.compare(open, 2, "{%") == 0)
                command(inside("%}"));
            else
                plain(open + 1);
        }
        if (!open_.empty())
            throw SyntaxError(line_, "a block is open");
        for (const BlockPtr &block : page_.blocks)
            page_.weight += block->weight();
        page_.names.assign(names_.begin(), names_.end());
        return std::move(page_);
    }

private:
    void plain(size_t end)
    {
        if (end == at_)
            return;
        std::string text = source_.substr(at_, end - at_);
        line_ += static_cast<int>(std::count(text.begin(), text.end(), '\n'));
        if (eats_newline_ && text[0] == '\n')
            text.erase(0, 1);
        eats_newline_ = false;
        at_ = end;
        add(std::make_unique<Plain>(text));
    }

    std::string inside(const std::string &end)
    {
        size_t start = at_ + 2;
        size_t stop = source_.find(end, start);
        if (stop == std::string::npos)
            throw SyntaxError(line_, "no " + end);
        at_ = stop + 2;
        eats_newline_ = end == "%}";
        return source_.substr(start, stop - start);
    }

    void add(BlockPtr block)
    {
        if (open_.empty())
            page_.blocks.push_back(std::move(block));
        else
            open_.back()(std::move(block));
    }

    Step step(const std::string &text) const
    {
        Step made;
        size_t colon = text.find(':');
        made.name = text.substr(0, colon);
        if (colon != std::string::npos) {
            made.argument = text.substr(colon + 1);
            made.has_argument = true;
        }
        auto found = filters_.find(made.name);
        if (found == filters_.end())
            throw SyntaxError(line_, "no filter " + made.name);
        made.filter = found->second;
        return made;
    }

    void hole(const std::string &text)
    {
        std::istringstream in(text);
        std::string name, part;
        std::vector<Step> steps;
        std::getline(in, name, '|');
        while (std::getline(in, part, '|'))
            steps.push_back(step(part));
        names_.insert(name.substr(0, name.find('.')));
        add(std::make_unique<Hole>(name, steps));
    }

    void command(const std::string &text)
    {
        std::istringstream in(text);
        std::string word, name, in_word, list, by, key;
        in >> word;
        if (word == "for") {
            in >> name >> in_word >> list >> by >> key;
            bool is_turned = !key.empty() && key[0] == '-';
            if (is_turned)
                key.erase(0, 1);
            auto loop = std::make_unique<Loop>(name, list, key, is_turned);
            Loop *inner = loop.get();
            names_.insert(list);
            add(std::move(loop));
            open_.push_back([inner](BlockPtr block) { inner->add(std::move(block)); });
            choices_.push_back(nullptr);
        } else if (word == "if") {
            in >> name;
            bool is_negated = name == "not";
            if (is_negated)
                in >> name;
            auto choice = std::make_unique<Choice>(name, is_negated);
            Choice *inner = choice.get();
            add(std::move(choice));
            open_.push_back([inner](BlockPtr block) { inner->add(std::move(block)); });
            choices_.push_back(inner);
        } else if (word == "else") {
            if (choices_.empty() || !choices_.back())
                throw SyntaxError(line_, "else without if");
            choices_.back()->start_else();
        } else if (word == "end") {
            if (open_.empty())
                throw SyntaxError(line_, "end without a block");
            open_.pop_back();
            choices_.pop_back();
        } else {
            throw SyntaxError(line_, "unknown command " + word);
        }
    }

    const std::string &source_;
    const std::map<std::string, Filter> &filters_;
    Page page_;
    std::vector<std::function<void(BlockPtr)>> open_;
    std::vector<Choice *> choices_;
    std::set<std::string> names_;
    size_t at_ = 0;
    int line_ = 1;
    bool eats_newline_ = false;
};

}  // namespace

Page parse_page(const std::string &source, const std::map<std::string, Filter> &filters)
{
    return Reader(source, filters).page();
}
