/* Reads lines "name,amount,price" from a CSV file and prints totals; quotes may be in names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *field(char **rest) {
    char *start = *rest, *to;
    if (!start)
        return NULL;
    if (*start == '"') {
        char *from = ++start;
        to = start;
        while (*from && (*from != '"' || from[1] == '"')) {
            if (*from == '"')
                from++;
            *to++ = *from++;
        }
        if (*from == '"')
            from++;
        *rest = *from == ',' ? from + 1 : NULL;
        *to = '\0';
        return start;
    }
    to = strchr(start, ',');
    if (to)
        *to++ = '\0';
    *rest = to;
    return start;
}

int main(int argc, char **argv) {
    char line[256];
    double total = 0;
    int number = 0, bad = 0;
    FILE *in = fopen(argv[argc - 1], "r");
    if (!in)
        return 2;
    while (fgets(line, sizeof line, in)) {
        line[strcspn(line, "\r\n")] = '\0';
        number++;
        if (!line[0] || line[0] == '#')
            continue;
        char *rest = line;
        char *name = field(&rest), *amount = field(&rest), *price = field(&rest);
        if (!amount || !price || !*name) {
            printf("line %d: too few fields\n", number);
            bad++;
            continue;
        }
        double cost = atoi(amount) * strtod(price, NULL);
        if (cost >= 1000.0)
            printf("%s: expensive\n", name);
        total += cost;
    }
    printf("total %.2f\n", total);
    return bad != 0;
}
