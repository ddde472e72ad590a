/* An order is "N item", read from standard input: is it a large one of the right kind? */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) {
    char line[16];
    if (!fgets(line, sizeof line, stdin)) return 1;
    int count = atoi(line);
    char *item = line;
    while (isdigit((unsigned char)*item)) item++;
    if (*item++ != ' ') { puts("no space"); return 1; }
    item[strcspn(item, "\n")] = 0;
    if (strcmp(item, "tea") == 0 && count * 3 > 200)
        puts("large tea order");
    else
        puts("small order");
    return 0;
}
