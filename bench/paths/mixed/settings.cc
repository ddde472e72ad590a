// Reads "key = value" lines of a file; exceptions tell what is wrong.  Argument: the file.
#include <fstream>
#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

static std::string trimmed(const std::string &text) {
    size_t first = text.find_first_not_of(" \t");
    if (first == std::string::npos)
        return "";
    size_t last = text.find_last_not_of(" \t");
    return text.substr(first, last - first + 1);
}

struct Settings {
    std::map<std::string, int> values;
    void add(const std::string &line) {
        size_t sign = line.find('=');
        if (sign == std::string::npos)
            throw std::runtime_error("no sign in: " + line);
        std::string key = trimmed(line.substr(0, sign));
        if (key.empty())
            throw std::invalid_argument("no key");
        int value = std::stoi(trimmed(line.substr(sign + 1)));
        if (!values.emplace(key, value).second)
            throw std::runtime_error("twice: " + key);
    }
};

int main(int argc, char **argv) {
    std::ifstream in(argc > 1 ? argv[1] : "settings.txt");
    Settings settings;
    std::string line;
    int number = 0;
    try {
        while (std::getline(in, line)) {
            number++;
            if (trimmed(line).empty() || line[0] == '#')
                continue;
            settings.add(line);
        }
    } catch (const std::invalid_argument &error) {
        std::cout << "line " << number << ": invalid (" << error.what() << ")\n";
        return 1;
    } catch (const std::exception &error) {
        std::cout << "line " << number << ": " << error.what() << "\n";
        return 1;
    }
    auto found = settings.values.find("size");
    if (found != settings.values.end() && found->second > 10)
        std::cout << "large\n";
    else
        std::cout << settings.values.size() << " settings\n";
    return 0;
}
