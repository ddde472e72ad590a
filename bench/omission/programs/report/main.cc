#include "report.h"

#include <iostream>
#include <stdexcept>

// Settings come first; after a line `---`, there are entries.  A line `= DAY` closes a day.
int main()
{
    Settings settings;
    std::string line;
    int number = 0;
    try {
        while (std::getline(std::cin, line)) {
            number++;
            if (line == "---")
                break;
            settings.read_line(line);
        }
        Ledger ledger(settings);
        while (std::getline(std::cin, line)) {
            number++;
            std::string text = trimmed(line);
            if (text.empty())
                continue;
            if (text.front() == '=')
                ledger.close_day(trimmed(text.substr(1)));
            else
                ledger.add(text);
        }
        std::cout << account_table(settings).text(sorted_accounts(ledger, settings));
        std::cout << summary(ledger, settings);
    } catch (const std::exception &error) {
        std::cerr << "line " << number << ": " << error.what() << "\n";
        return 1;
    }
    return 0;
}
