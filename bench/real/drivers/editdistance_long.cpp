// The distance of two sequences that are longer than the tables of the fast algorithm.
#include <cstdint>
#include <iostream>
#include <vector>

#include "_editdistance.h"

int main()
{
    // Each sequence lacks 100 elements that the other one has: at its start, and at its end.
    std::vector<int64_t> first, second;
    for (int i = 0; i < 641; ++i) {
        first.push_back(i + 100);
        second.push_back(i);
    }
    unsigned int distance = edit_distance(first.data(), first.size(), second.data(), second.size());
    std::cout << distance << '\n';
    return distance == 200 ? 0 : 1;
}
