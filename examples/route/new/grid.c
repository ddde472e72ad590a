/* The map: letters in lines of equal length. */
#include "grid.h"

#include <stddef.h>
#include <string.h>

static bool grid_find(const struct grid *grid, char what, struct cell *found);

static char at(const struct grid *grid, struct cell cell)
{
    return grid->text[cell.y * (grid->width + 1) + cell.x];
}

bool grid_read(struct grid *grid, const char *text)
{
    const char *end = strchr(text, '\n');
    const char *line;

    if (end == NULL)
        return false;
    grid->text = text;
    grid->width = (int)(end - text);
    grid->height = 0;
    for (line = text; *line != '\0'; line += grid->width + 1) {
        end = strchr(line, '\n');
        if (end == NULL || end - line != grid->width)
            return false;
        grid->height++;
    }
    grid->straight = 10;
    grid->diagonal = 14;
    return grid_find(grid, 'S', &grid->start) && grid_find(grid, 'G', &grid->goal);
}

static bool grid_find(const struct grid *grid, char what, struct cell *found)
{
    int i;

    for (i = 0; i < grid_size(grid); i++) {
        *found = grid_cell(grid, i);
        if (at(grid, *found) == what)
            return true;
    }
    return false;
}

int grid_size(const struct grid *grid)
{
    return grid->width * grid->height;
}

int grid_index(const struct grid *grid, struct cell cell)
{
    return cell.y * grid->width + cell.x;
}

struct cell grid_cell(const struct grid *grid, int index)
{
    struct cell cell = {index % grid->width, index / grid->width};
    return cell;
}

static bool contains(const struct grid *grid, struct cell cell)
{
    return 0 <= cell.x && cell.x < grid->width && 0 <= cell.y && cell.y < grid->height;
}

bool grid_is_free(const struct grid *grid, struct cell cell)
{
    return contains(grid, cell) && at(grid, cell) != '#';
}

int grid_hardness(const struct grid *grid, struct cell cell)
{
    switch (at(grid, cell)) {
    case 'w': return 2;
    case 'r': return 3;
    case 'm': return 5;
    default: return 1;
    }
}
