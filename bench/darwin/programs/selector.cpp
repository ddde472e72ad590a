// Which style does each element of a page get?
//
// Standard input has rules, an empty line, and a page.  A rule is `SELECTOR { NAME: VALUE }`, a
// selector is made of a tag, `.class`, `#id` and `*`, and of the relations " " (inside) and ">"
// (a child of).  Each line of the page is an element, `tag.class#id`, two spaces deeper than the
// element that it is in.  Of several rules that fit, the most specific one counts; of equal ones,
// the last one.
#include <iostream>
#include <map>
#include <string>
#include <vector>

struct Simple {
    std::string tag;
    std::string id;
    std::vector<std::string> classes;
    bool is_child = false; // of the one before
};

struct Rule {
    std::vector<Simple> parts;
    std::string name, value;
    int place = 0;
    int weight() const;
};

struct Element {
    Simple simple;
    const Element *parent = nullptr;
    int depth = 0;
};

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
}

static std::string name_at(const std::string &text, size_t &at)
{
    std::string found;
    while (at < text.size() && is_name(text[at]))
        found += text[at++];
    return found;
}

static void skip_spaces(const std::string &text, size_t &at)
{
    while (at < text.size() && text[at] == ' ')
        at++;
}

// Reads `tag.class#id`; is nothing if there is none.
static bool read_simple(const std::string &text, size_t &at, Simple &simple)
{
    size_t start = at;
    if (at < text.size() && text[at] == '*')
        at++;
    else
        simple.tag = name_at(text, at);
    while (at < text.size() && (text[at] == '.' || text[at] == '#')) {
        char kind = text[at++];
        std::string name = name_at(text, at);
        if (name.empty())
            return false;
        if (kind == '.')
            simple.classes.push_back(name);
        else
            simple.id = name;
    }
    return at > start;
}

static bool read_rule(const std::string &line, Rule &rule)
{
    size_t at = 0;
    bool is_child = false;
    for (;;) {
        skip_spaces(line, at);
        if (at >= line.size())
            return false;
        if (line[at] == '{')
            break;
        if (line[at] == '>') {
            if (is_child || rule.parts.empty())
                return false;
            is_child = true;
            at++;
            continue;
        }
        Simple simple;
        if (!read_simple(line, at, simple))
            return false;
        simple.is_child = is_child;
        is_child = false;
        rule.parts.push_back(simple);
    }
    at++;
    skip_spaces(line, at);
    rule.name = name_at(line, at);
    skip_spaces(line, at);
    if (at >= line.size() || line[at++] != ':')
        return false;
    skip_spaces(line, at);
    rule.value = name_at(line, at);
    skip_spaces(line, at);
    return at < line.size() && line[at] == '}' && !rule.parts.empty() && !is_child;
}

int Rule::weight() const
{
    int ids = 0, classes = 0, tags = 0;
    for (const Simple &part : parts) {
        if (!part.id.empty())
            ids++;
        classes += static_cast<int>(part.classes.size());
        if (!part.tag.empty())
            tags++;
    }
    return ids * 100 + classes * 10 + tags;
}

static bool has_class(const Simple &element, const std::string &name)
{
    for (const std::string &each : element.classes)
        if (each == name)
            return true;
    return false;
}

static bool fits_simple(const Simple &wanted, const Simple &element)
{
    if (!wanted.tag.empty() && wanted.tag != element.tag)
        return false;
    if (!wanted.id.empty() && wanted.id != element.id)
        return false;
    for (const std::string &name : wanted.classes)
        if (!has_class(element, name))
            return false;
    return true;
}

// Do the first parts of a rule, up to one, fit an element and those around it?
static bool fits(const Rule &rule, size_t part, const Element *element)
{
    const Simple &wanted = rule.parts[part];
    if (!fits_simple(wanted, element->simple))
        return false;
    if (part == 0)
        return true;
    for (const Element *around = element->parent; around != nullptr; around = around->parent) {
        if (fits(rule, part - 1, around))
            return true;
        if (wanted.is_child)
            break;
    }
    return false;
}

class Sheet {
public:
    bool add(const std::string &line)
    {
        Rule rule;
        rule.place = static_cast<int>(rules_.size());
        if (!read_rule(line, rule))
            return false;
        rules_.push_back(rule);
        return true;
    }

    std::map<std::string, std::string> style(const Element *element) const
    {
        std::map<std::string, const Rule *> best;
        for (const Rule &rule : rules_) {
            if (!fits(rule, rule.parts.size() - 1, element))
                continue;
            const Rule *&known = best[rule.name];
            if (known == nullptr || rule.weight() >= known->weight())
                known = &rule;
        }
        std::map<std::string, std::string> found;
        for (const auto &one : best)
            found[one.first] = one.second->value;
        return found;
    }

private:
    std::vector<Rule> rules_;
};

class Page {
public:
    ~Page()
    {
        for (Element *element : elements_)
            delete element;
    }

    bool add(const std::string &line)
    {
        size_t at = 0;
        skip_spaces(line, at);
        int depth = static_cast<int>(at) / 2;
        Element *element = new Element;
        elements_.push_back(element);
        element->depth = depth;
        if (!read_simple(line, at, element->simple) || at != line.size())
            return false;
        for (size_t i = elements_.size() - 1; i-- > 0;) {
            if (elements_[i]->depth < depth) {
                element->parent = elements_[i];
                break;
            }
        }
        return true;
    }

    void print(const Sheet &sheet) const
    {
        for (const Element *element : elements_) {
            std::cout << std::string(2 * element->depth, ' ') << element->simple.tag;
            for (const auto &one : sheet.style(element))
                std::cout << " " << one.first << "=" << one.second;
            std::cout << "\n";
        }
    }

private:
    std::vector<Element *> elements_;
};

int main()
{
    Sheet sheet;
    Page page;
    std::string line;
    int number = 0;
    bool is_page = false;
    while (std::getline(std::cin, line)) {
        number++;
        if (line.empty()) {
            is_page = true;
            continue;
        }
        bool is_fine = is_page ? page.add(line) : sheet.add(line);
        if (!is_fine) {
            std::cout << "line " << number << " is wrong\n";
            return 1;
        }
    }
    page.print(sheet);
    return 0;
}
