/* Converts a length with a unit.  Argument: NUMBER UNIT in one word, such as 2.5km. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct { const char *name; double metres; } units[] = {
    { "m", 1 }, { "km", 1000 }, { "cm", 0.01 }, { "ft", 0.3048 }, { "mi", 1609.344 },
};

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    char *rest;
    errno = 0;
    double number = strtod(argv[1], &rest);
    if (rest == argv[1]) {
        puts("no-number");
        return 1;
    }
    if (errno == ERANGE) {
        puts("too-large");
        return 1;
    }
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(rest, units[i].name) == 0) {
            double metres = number * units[i].metres;
            printf("unit-%s\n", units[i].name);
            if (metres < 0)
                puts("negative");
            else if (metres == 0)
                puts("nothing");
            else if (metres > 100000)
                puts("far");
            else if (metres < 0.5)
                puts("near");
            else
                puts("between");
            return 0;
        }
    puts(*rest ? "unknown-unit" : "unit-missing");
    return 1;
}
