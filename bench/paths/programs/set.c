/* Is a number in a set of three? */
#include <stdio.h>
#include <stdlib.h>

static int members[8], count, moved;
static void add(int value) {
    int k = 0;
    while (k < count && members[k] < value) k++;
    if (k < count && members[k] == value) return;
    for (int j = count; j > k; j--) { members[j] = members[j - 1]; moved++; }
    members[k] = value;
    count++;
}
static int has(int value) {
    for (int k = 0; k < count; k++)
        if (members[k] == value) return 1;
    return 0;
}
int main(int argc, char **argv) {
    if (argc < 5) return 2;
    for (int k = 1; k < 4; k++) add(atoi(argv[k]));
    if (moved > 2) fprintf(stderr, "many moves\n");
    printf("%s\n", has(atoi(argv[4])) ? "yes" : "no");
    return 0;
}
