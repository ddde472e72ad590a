/* Are two of four elements in one set, after two unions? */
#include <stdio.h>
#include <stdlib.h>

static int parent[4] = {0, 1, 2, 3}, rank[4];
static int find(int x) {
    while (parent[x] != x) x = parent[x];
    return x;
}
static void join(int a, int b) {
    a = find(a), b = find(b);
    if (a == b) return;
    if (rank[a] < rank[b]) parent[a] = b;
    else { parent[b] = a; if (rank[a] == rank[b]) rank[a]++; }
}
int main(int argc, char **argv) {
    int n[6];
    if (argc < 7) return 2;
    for (int k = 0; k < 6; k++) {
        n[k] = atoi(argv[k + 1]);
        if (n[k] < 0 || n[k] > 3) { puts("range"); return 1; }
    }
    join(n[0], n[1]);
    join(n[2], n[3]);
    puts(find(n[4]) == find(n[5]) ? "same" : "other");
    return 0;
}
