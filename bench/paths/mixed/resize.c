/* Options of an image tool: resize [-w WIDTH] [-h HEIGHT] [-s SCALE] [-v] [-f FORMAT] NAME */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int number(const char *text, long *value) {
    char *end;
    errno = 0;
    *value = strtol(text, &end, 10);
    return end != text && *end == '\0' && errno == 0 && *value > 0 && *value <= 10000;
}

int main(int argc, char **argv) {
    long width = 0, height = 0;
    double scale = 1.0;
    int verbose = 0, option;
    const char *format = "png";
    while ((option = getopt(argc, argv, "w:h:s:vf:")) != -1) {
        switch (option) {
        case 'w':
            if (!number(optarg, &width)) {
                fprintf(stderr, "bad width: %s\n", optarg);
                return 2;
            }
            break;
        case 'h':
            if (!number(optarg, &height)) {
                fprintf(stderr, "bad height: %s\n", optarg);
                return 2;
            }
            break;
        case 's': {
            char *end;
            scale = strtod(optarg, &end);
            if (*end == '%') {
                scale /= 100;
                end++;
            }
            if (end == optarg || *end || scale <= 0.0) {
                fprintf(stderr, "bad scale: %s\n", optarg);
                return 2;
            }
            break;
        }
        case 'v':
            verbose++;
            break;
        case 'f':
            format = optarg;
            break;
        default:
            return 2;
        }
    }
    if (optind >= argc) {
        fprintf(stderr, "a name is missing\n");
        return 2;
    }
    if (strcmp(format, "png") && strcmp(format, "jpg")) {
        fprintf(stderr, "unknown format\n");
        return 2;
    }
    if (width && height)
        printf("%s: %ldx%ld\n", argv[optind], width, height);
    else if (width || height)
        printf("%s: keeps its shape\n", argv[optind]);
    else if (scale > 1.5)
        printf("%s: much larger\n", argv[optind]);
    else if (scale < 1)
        printf("%s: smaller\n", argv[optind]);
    else
        printf("%s: as it is\n", argv[optind]);
    if (verbose > 1)
        printf("very verbose\n");
    return 0;
}
