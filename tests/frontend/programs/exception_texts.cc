// The text of the library's exceptions: copied, thrown again, kept, empty, and of derived classes.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

struct Own : std::out_of_range {
    int place;
    Own(const std::string &text, int place) : std::out_of_range(text + "!"), place(place) {}
};

template <class Thrown> static void show(const Thrown &thrown) {
    try {
        throw thrown;
    } catch (const Thrown &caught) {
        Thrown copy = caught;
        std::printf("%s|%s\n", caught.what(), copy.what());
    }
}

int main() {
    std::string longer(70, 'x');
    show(std::runtime_error("first"));
    show(std::logic_error(longer + "end"));
    show(std::invalid_argument(""));
    show(std::overflow_error(std::string()));
    show(Own("own", 3));
    std::exception_ptr kept;
    try {
        std::vector<int>().at(2);
    } catch (const std::exception &) {
        kept = std::current_exception();
    }
    try {
        std::rethrow_exception(kept);
    } catch (const std::out_of_range &error) {
        std::printf("%d\n", *error.what() != '\0');
    }
    std::runtime_error one("one"), other("another");
    one = other;
    other = std::runtime_error("third");
    std::printf("%s %s\n", one.what(), other.what());
    try {
        std::stoi("none");
    } catch (const std::invalid_argument &error) {
        std::printf("%s\n", error.what());
    }
    return 0;
}
