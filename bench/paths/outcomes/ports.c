/* Sorts the ports of its arguments and names the first known one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct service { int port; const char *name; int is_safe; };

static const struct service services[] = {
    { 21, "ftp", 0 }, { 22, "ssh", 1 }, { 25, "smtp", 0 }, { 80, "http", 0 }, { 443, "https", 1 },
};

static int ascending(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int by_port(const void *key, const void *item) {
    return *(const int *)key - ((const struct service *)item)->port;
}

int main(int argc, char **argv) {
    int ports[4], count = argc - 1;
    if (count > 4)
        count = 4;
    for (int i = 0; i < count; i++) {
        ports[i] = atoi(argv[i + 1]);
        if (ports[i] < 1 || ports[i] > 65535) {
            puts("no-port");
            return 1;
        }
    }
    qsort(ports, count, sizeof *ports, ascending);
    for (int i = 1; i < count; i++)
        if (ports[i] == ports[i - 1])
            puts("twice");
    for (int i = 0; i < count; i++) {
        const struct service *found =
            bsearch(&ports[i], services, 5, sizeof *services, by_port);
        if (found) {
            printf("is-%s\n", found->name);
            puts(found->is_safe ? "safe" : "unsafe");
            return 0;
        }
    }
    puts("unknown");
    return 0;
}
