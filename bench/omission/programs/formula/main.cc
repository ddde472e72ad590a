#include "formula.h"

#include <iostream>

static bool starts_with(const std::string &text, const std::string &start)
{
    return text.compare(0, start.size(), start) == 0;
}

// NAME := FORMULA defines a cell, ? FORMULA prints, ! ORDER lists the cells.
static void run(Sheet &sheet, const std::string &line)
{
    std::size_t sign = line.find(":=");
    if (sign != std::string::npos) {
        std::string name = line.substr(0, line.find_last_not_of(' ', sign - 1) + 1);
        sheet.define(name, parsed(line.substr(sign + 2)));
    } else if (starts_with(line, "? ")) {
        std::cout << shown(parsed(line.substr(2))->value(sheet)) << std::endl;
    } else if (starts_with(line, "! ")) {
        std::cout << listing(sheet, line.substr(2));
    } else if (!line.empty()) {
        throw std::invalid_argument("no command: " + line);
    }
}

int main()
{
    Sheet sheet;
    std::string line;
    int failed = 0;
    while (std::getline(std::cin, line)) {
        try {
            run(sheet, line);
        } catch (const FormulaError &error) {
            std::cout << "formula: " << error.what() << "\n";
            failed++;
        } catch (const std::exception &error) {
            std::cout << "error: " << error.what() << "\n";
            failed++;
        }
        sheet.forget();
    }
    std::cout << sheet.evaluations() << " evaluations, " << failed << " failed\n";
    return 0;
}
