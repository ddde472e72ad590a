#include "site.h"

#include <sstream>

bool Number::before(const Value &other) const
{
    if (auto number = dynamic_cast<const Number *>(&other))
        return value_ < number->value_;
    return text() < other.text();
}

std::string List::text() const
{
    std::ostringstream out;
    const char *separator = "";
    for (const ValuePtr &each : items_) {
        out << separator << each->text();
        separator = ", ";
    }
    return out.str();
}

std::string Record::text() const
{
    std::ostringstream out;
    out << '{';
    for (const auto &[name, value] : fields_)
        out << name << '=' << value->text() << ';';
    out << '}';
    return out.str();
}

ValuePtr Record::field(const std::string &name) const
{
    auto found = fields_.find(name);
    return found == fields_.end() ? nullptr : found->second;
}

ValuePtr Scope::lookup(const std::string &name) const
{
    auto found = names_.find(name);
    if (found != names_.end())
        return found->second;
    return outer_ ? outer_->lookup(name) : nullptr;
}

/* Find `a.b.c`: a name of the scope, then fields. */
ValuePtr Scope::find(const std::string &path) const
{
    size_t dot = path.find('.');
    ValuePtr value = lookup(path.substr(0, dot));
    while (value && dot != std::string::npos) {
        size_t next = path.find('.', dot + 1);
        value = value->field(path.substr(dot + 1, next == std::string::npos ? next : next - dot - 1));
        dot = next;
    }
    return value;
}
