/* What route promises. */
#undef NDEBUG
#include <assert.h>

#include "search.h"

static struct route find(const char *map)
{
    struct grid grid;
    struct route route = {-1, 0, 0};

    assert(grid_read(&grid, map));
    find_route(&grid, &route);
    return route;
}

static void test_a_straight_way(void)
{
    struct route route = find("S...G\n");

    assert(route.cost == 40);
    assert(route.length == 5);
    free_route(&route);
}

static void test_a_wall_is_in_the_way(void)
{
    struct route route = find("S#G\n"
                              ".#.\n");

    assert(route.cost == -1);
}

static void test_not_a_map(void)
{
    struct grid grid;

    assert(!grid_read(&grid, "S..\n.G\n"));
    assert(!grid_read(&grid, "S..\n...\n"));
}

static void test_the_valley(void)
{
    struct route route = find("Sww..mmww\n"
                              "...w.m...\n"
                              "#m#w....#\n"
                              "..m.#.w..\n"
                              "..#.m.##m\n"
                              "mwm..m.#G\n");

    assert(route.cost == 160);
    free_route(&route);
}

int main(void)
{
    test_a_straight_way();
    test_a_wall_is_in_the_way();
    test_not_a_map();
    test_the_valley();
    return 0;
}
