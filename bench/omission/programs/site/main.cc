#include "site.h"

#include <iostream>
#include <sstream>

int main(int argc, char **argv)
{
    Settings settings;
    Scope data = read_data(std::cin, settings);
    std::ostringstream source;
    source << std::cin.rdbuf();
    auto filters = make_filters();
    Page page = parse_page(source.str(), filters);
    if (argc > 1 && std::string(argv[1]) == "--names") {
        for (const std::string &name : page.names)
            std::cout << name << '\n';
        std::cout << "weight " << page.weight << '\n';
        return 0;
    }
    std::ostringstream text;
    Output out{text, settings};
    for (const BlockPtr &block : page.blocks)
        block->render(out, data);
    std::cout << text.str();
    if (out.holes)
        std::cout << "<!-- " << out.holes << " holes -->\n";
    return out.holes > 3;
}
