/* Reads a Roman number: a table by character, and a state for each place. */
#include <ctype.h>
#include <stdio.h>

static const short worth[256] = {
    ['I'] = 1, ['V'] = 5, ['X'] = 10, ['L'] = 50, ['C'] = 100, ['D'] = 500, ['M'] = 1000,
};

int main(int argc, char **argv) {
    int sum = 0, last = 0, same = 0;
    if (argc < 2 || !argv[1][0]) {
        puts("empty");
        return 2;
    }
    for (const char *p = argv[1]; *p; p++) {
        int value = worth[toupper((unsigned char)*p)];
        if (!value) {
            puts(isdigit((unsigned char)*p) ? "digit" : "no-numeral");
            return 1;
        }
        same = value == last ? same + 1 : 1;
        if (same > 3) {
            puts("four-times");
            return 1;
        }
        if (value > last && last) {
            if (value > 10 * last) {
                puts("too-far");
                return 1;
            }
            sum += value - 2 * last;
            puts("subtracted");
        } else
            sum += value;
        last = value;
    }
    switch (sum) {
    case 1: puts("one"); break;
    case 4: case 9: puts("four-or-nine"); break;
    case 50 ... 99: puts("fifty-to-99"); break;
    default: puts(sum > 1000 ? "thousands" : "other");
    }
    return 0;
}
