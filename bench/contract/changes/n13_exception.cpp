#include <iostream>
#include <map>
#include <stdexcept>
#include <string>
static int digits(const std::string &text) {
    int value = 0;
    for (char c : text) {
        if (c < '0' || c > '9')
            throw @{std::out_of_range|std::invalid_argument}("no digit in " + text);
        value = value * 10 + (c - '0');
    }
    return value;
}
static int number(const std::string &text) {
    try {
        return digits(text);
    } catch (const std::invalid_argument &) {
        return -1;
    } catch (const std::out_of_range &) {
        return -1;
    }
}
int main() {
    std::cout << number("12") << ' ' << number("x") << '\n';
}
