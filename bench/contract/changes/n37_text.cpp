// Templates with overloads and operators: a small vector, spans that borrow from it, and guards that undo.
#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <iostream>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

template <class T> class Span {
    const T *first_;
    std::size_t size_;
public:
    Span(const T *first, std::size_t size) : first_(first), size_(size) {}
    const T *begin() const { return first_; }
    const T *end() const { return first_ + size_; }
    std::size_t size() const { return size_; }
    const T &operator[](std::size_t at) const {
        if (at >= size_) throw std::out_of_range("span");
        return first_[at];
    }
    Span part(std::size_t from) const { return part(from, size_ - std::min(from, size_)); }
    Span part(std::size_t from, std::size_t count) const {
        if (from > size_) throw std::out_of_range("part");
        return Span(first_ + from, @{count|std::min(count, size_ - from)});
    }
};

template <class T, std::size_t N> class Small {
    T items_[N];
    std::size_t size_ = 0;
public:
    Small() = default;
    Small(std::initializer_list<T> all) { for (const T &each : all) push(each); }
    Small(const Small &other) : size_(other.size_) { std::copy(other.items_, other.items_ + size_, items_); }
    Small &operator=(Small other) { swap(other); return *this; }
    void swap(Small &other) {
        std::swap_ranges(items_, items_ + N, other.items_);
        std::swap(size_, other.size_);
    }
    void push(const T &value) {
        if (size_ == N) throw std::length_error("full");
        items_[size_++] = value;
    }
    T pop() { return std::move(items_[--size_]); }
    std::size_t size() const { return size_; }
    Span<T> all() const { return {items_, size_}; }
    operator Span<T>() const { return all(); }
    bool operator==(const Small &other) const {
        return size_ == other.size_ && std::equal(items_, items_ + size_, other.items_);
    }
    friend Small operator+(Small a, const Small &b) {
        for (const T &each : b.all()) a.push(each);
        return a;
    }
};

template <class F> class Guard {
    F undo_;
    bool on_ = true;
public:
    explicit Guard(F undo) : undo_(undo) {}
    Guard(const Guard &) = delete;
    ~Guard() { if (on_) undo_(); }
    void keep() { on_ = false; }
};

int total(Span<int> values) {
    int sum = 0;
    for (int each : values) sum += each;
    return sum;
}

double total(Span<double> values) {
    double sum = 0;
    for (double each : values) sum += each;
    return sum;
}

std::string total(Span<std::string> values, const char *between = "") {
    std::string text;
    for (std::size_t i = 0; i < values.size(); i++) {
        if (i) text += between;
        text += values[i];
    }
    return text;
}

template <class T, std::size_t N>
int push_all(Small<T, N> &into, Span<T> values) {
    std::size_t before = into.size();
    Guard guard([&] { while (into.size() > before) into.pop(); });
    for (const T &each : values) into.push(each);
    guard.keep();
    return static_cast<int>(into.size() - before);
}

template <class T> std::enable_if_t<std::is_arithmetic_v<T>, T> middle(Span<T> values) {
    return values.size() ? values[values.size() / 2] : T();
}

int main() {
    Small<int, 4> numbers{4, 1, 3};
    Small<double, 8> halves{0.5, 1.5};
    Small<std::string, 4> words{"ab", "cd", "ef"};
    int seen = total(numbers.all().part(1)) + total(numbers.all().part(0, 2));
    int more = static_cast<int>(numbers.all().part(1, 1).size());
    try { push_all(numbers, Span<int>(numbers)); } catch (const std::length_error &) { seen++; }
    Small<double, 8> both = halves + halves;
    seen += total(both) > total(halves.all().part(1, 1));
    std::string text = total(words, "-") + total(words.all().part(1));
    seen += static_cast<int>(words.all().part(2, 5).size() ? 1 : 0) + (middle(both.all()) > 0);
    std::cout << (seen + more > 3) << (text.size() > 4) << (both == halves) << "\n";
}
