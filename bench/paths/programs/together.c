/* A disjoint set of four elements, as a driver of a test uses it: is one with the first of all? */
#include <stdio.h>
#include <stdlib.h>

#define SIZE 4
static int parent[SIZE], rank[SIZE], sets = SIZE, longest;

static int root(int one) {
    int steps = 0;
    while (parent[one] != one) {
        one = parent[one];
        steps++;
    }
    if (steps > longest)
        longest = steps;
    return one;
}

static int is_element(int one) {
    return one >= 0 && one < SIZE;
}

static int join(int one, int other) {
    if (!is_element(one) || !is_element(other))
        return 0;
    one = root(one);
    other = root(other);
    if (one == other)
        return 0;
    if (rank[one] < rank[other]) {
        int kept = one;
        one = other;
        other = kept;
    }
    parent[other] = one;
    if (rank[one] == rank[other])
        rank[one]++;
    sets--;
    return 1;
}

int main(int argc, char **argv) {
    if (argc < 6)
        return 2;
    for (int k = 0; k < SIZE; k++)
        parent[k] = k;
    join(atoi(argv[1]), atoi(argv[2]));
    fprintf(stderr, "%s\n", join(atoi(argv[3]), atoi(argv[4])) ? "joined" : "not joined");
    fprintf(stderr, "%d sets, %d steps\n", sets, longest);
    if (!is_element(atoi(argv[5])))
        puts("none");
    else
        puts(root(atoi(argv[5])) == root(0) ? "together" : "apart");
    return 0;
}
