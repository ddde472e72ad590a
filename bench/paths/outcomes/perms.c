/* What may a file do?  perms [-v] [-m MODE] [--owner NAME] [--deny BITS]; DEFAULT_MODE is used without -m. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    static const struct option longs[] = {
        { "owner", required_argument, 0, 'o' },
        { "deny", required_argument, 0, 'd' },
        { "verbose", no_argument, 0, 'v' },
        { 0, 0, 0, 0 },
    };
    const char *text = getenv("DEFAULT_MODE"), *owner = "nobody";
    long deny = 0;
    int is_verbose = 0, option;
    opterr = 0;
    while ((option = getopt_long(argc, argv, "vm:o:d:", longs, NULL)) != -1)
        switch (option) {
        case 'v': is_verbose = 1; break;
        case 'm': text = optarg; break;
        case 'o': owner = optarg; break;
        case 'd': deny = strtol(optarg, NULL, 8); break;
        default: puts("usage"); return 2;
        }
    if (!text) {
        puts("no-mode");
        return 1;
    }
    char *end;
    long mode = strtol(text, &end, 8);
    if (*end || end == text) {
        puts("not-octal");
        return 1;
    }
    if (mode < 0 || mode > 07777) {
        puts("out-of-range");
        return 1;
    }
    mode &= ~deny;
    if (strcasecmp(owner, "root") == 0)
        puts("root-may-all");
    else if (mode & 04000)
        puts("setuid");
    else if ((mode & 0222) == 0)
        puts("read-only");
    else if ((mode & 7) > 5)
        puts("world-may-write");
    else
        puts("ordinary");
    if (is_verbose)
        printf("verbose-%lo\n", mode);
    return 0;
}
