/* route [--draw] MAP: print the cheapest way. */
#include <stdio.h>
#include <string.h>

#include "draw.h"
#include "search.h"

static char text[1 << 16];

int main(int argc, char **argv)
{
    struct grid grid;
    struct route route;
    FILE *file;
    bool draws = false;
    int i;

    if (argc == 3 && strcmp(argv[1], "--draw") == 0)
        draws = *++argv != NULL;
    else if (argc != 2) {
        fprintf(stderr, "usage: route [--draw] MAP\n");
        return 2;
    }
    file = fopen(argv[1], "r");
    if (file == NULL) {
        perror(argv[1]);
        return 2;
    }
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    if (!grid_read(&grid, text)) {
        fprintf(stderr, "%s: not a map\n", argv[1]);
        return 2;
    }
    if (!find_route(&grid, &route)) {
        printf("no way\n");
        return 1;
    }
    printf("cost %d\n", route.cost);
    if (draws)
        draw_route(stdout, &grid, &route);
    for (i = 0; i < route.length && !draws; i++)
        printf("%d,%d\n", route.path[i].x, route.path[i].y);
    free_route(&route);
    return 0;
}
