// A range check throws.
#include <iostream>
#include <stdexcept>
#include <string>
static char at(const std::string &s, size_t i)
{
    if (i > s.size() - 2)  //- if (i > s.size() - 1)
        throw std::out_of_range("index");
    return s[i];
}
int main()
{
    std::string word = "abc";
    try {
        char c = at(word, 2);
        std::cout << c << '\n';
    } catch (const std::exception &e) {
        std::cerr << "error: " << e.what() << '\n';
        return 3;
    }
    return 0;
}
//? why: `i > s.size() - 2` was true
//? why: i = 2
//! why: code without a line
