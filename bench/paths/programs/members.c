/* An ordered set in an array, as a driver of a test uses it: is a number in it? */
#include <stdio.h>
#include <stdlib.h>

#define MOST 3
static int members[MOST], size, rejected, moved;

static int place(int value) {
    int at = 0;
    while (at < size && members[at] < value)
        at++;
    return at;
}

static int add(int value) {
    int at = place(value);
    if (at < size && members[at] == value)
        return 0;
    if (size == MOST) {
        rejected++;
        return 0;
    }
    for (int k = size; k > at; k--) {
        members[k] = members[k - 1];
        moved++;
    }
    members[at] = value;
    size++;
    return 1;
}

static int holds(int value) {
    for (int k = 0; k < size; k++)
        if (members[k] == value)
            return 1;
    return 0;
}

static int is_sorted(void) {
    for (int k = 1; k < size; k++)
        if (members[k - 1] >= members[k])
            return 0;
    return 1;
}

int main(int argc, char **argv) {
    int added = 0;
    if (argc < 5)
        return 2;
    for (int k = 1; k < 4; k++)
        added += add(atoi(argv[k]));
    fprintf(stderr, "%d added, %d rejected, %d moved\n", added, rejected, moved);
    fprintf(stderr, "%s\n", is_sorted() ? "sorted" : "not sorted");
    puts(holds(atoi(argv[4])) ? "in" : "out");
    return 0;
}
