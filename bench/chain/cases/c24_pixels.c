/* Regions of one colour in a small picture: how many are there, and which is the largest? */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDTH 9
#define HEIGHT 5
#define NONE -1

struct region {
    char colour;
    int size, left, right;
};

struct picture {
    const char *rows[HEIGHT];
    int label[HEIGHT][WIDTH];
    struct region *regions;
    int count, room;
};

static int new_region(struct picture *picture, char colour)
{
    if (picture->count == picture->room) {
        picture->room = picture->room ? 2 * picture->room : 4;
        picture->regions = realloc(picture->regions, picture->room * sizeof *picture->regions);
    }
    struct region *region = &picture->regions[picture->count];
    region->colour = colour;
    region->size = 0;
    region->left = WIDTH;
    region->right = NONE;
    return picture->count++;
}

static void fill(struct picture *picture, int y, int x, int number)
{
    struct region *region = &picture->regions[number];
    if (y < 0 || y >= HEIGHT || x < 0 || x >= WIDTH)
        return;
    if (picture->label[y][x] != NONE || picture->rows[y][x] != region->colour)
        return;
    picture->label[y][x] = number;
    region->size++;
    if (x < region->left)
        region->left = x;
    if (x > region->right)
        region->right = x;
    fill(picture, y, x - 1, number);
    fill(picture, y, x + 1, number);
    fill(picture, y - 1, x, number);
    @{|fill(picture, y + 1, x, number);}
}

static void find_regions(struct picture *picture)
{
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            picture->label[y][x] = NONE;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            if (picture->rows[y][x] != '.' && picture->label[y][x] == NONE)
                fill(picture, y, x, new_region(picture, picture->rows[y][x]));
}

static const struct region *largest(const struct picture *picture)
{
    const struct region *best = NULL;
    for (int i = 0; i < picture->count; i++)
        if (best == NULL || picture->regions[i].size > best->size)
            best = &picture->regions[i];
    return best;
}

int main(void)
{
    struct picture picture = {
        .rows = {"..aa.....", ".aa..bbb.", ".a...b.b.", "...c.b.b.", "...cc...d"},
    };
    find_regions(&picture);
    const struct region *best = largest(&picture);
    int width = best->right - best->left + 1;
    printf("%c is %d wide\n", best->colour, width);
    printf("size %d\n", best->size);
    free(picture.regions);
    return 0;
}
