// The distance of two points that are near each other and far from the origin.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "annoylib.h"
#include "kissrandom.h"

int main()
{
    AnnoyIndex<int32_t, float, Euclidean, Kiss32Random> index(2);
    const float places[3][2] = {{20000.0f, 10000.0f}, {20003.0f, 10004.0f}, {-5000.0f, 0.0f}};
    for (int item = 0; item < 3; item++)
        index.add_item(item, places[item]);
    float distance = index.get_distance(0, 1);
    std::printf("%.3f\n", distance);
    return std::fabs(distance - 5.0f) < 0.01f ? 0 : 1;
}
