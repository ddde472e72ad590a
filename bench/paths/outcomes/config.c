/* Reads "name = value" lines of the file that its argument names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    char line[80];
    int width = 80, is_colour = 0, number = 0;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (!file) {
        puts("no-file");
        return 2;
    }
    while (fgets(line, sizeof line, file)) {
        number++;
        char *hash = strchr(line, '#');
        if (hash) {
            *hash = 0;
            puts("comment");
        }
        char *name = strtok(line, " \t\n=");
        if (!name)
            continue;
        char *value = strtok(NULL, " \t\n=");
        if (!value) {
            puts("no-value");
            return 1;
        }
        if (strtok(NULL, " \t\n")) {
            puts("too-many");
            return 1;
        }
        if (strcmp(name, "width") == 0) {
            width = atoi(value);
            if (width < 20) {
                puts("narrow");
                width = 20;
            }
        } else if (strncmp(name, "col", 3) == 0) {
            is_colour = strcmp(value, "yes") == 0 || *value == '1';
        } else {
            puts("unknown-name");
        }
    }
    fclose(file);
    if (width > 120)
        puts(is_colour ? "wide-and-coloured" : "wide");
    else
        puts(is_colour ? "coloured" : "plain");
    return 0;
}
