/* route MAP: print the cheapest way. */
#include <stdio.h>

#include "search.h"

static char text[1 << 16];

int main(int argc, char **argv)
{
    struct grid grid;
    struct route route;
    FILE *file;
    int i;

    if (argc != 2) {
        fprintf(stderr, "usage: route MAP\n");
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
    for (i = 0; i < route.length; i++)
        printf("%d,%d\n", route.path[i].x, route.path[i].y);
    free_route(&route);
    return 0;
}
