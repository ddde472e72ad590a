/* Are two of three elements in one set, after one union? */
#include <stdio.h>
#include <stdlib.h>

static int parent[3] = {0, 1, 2}, rank[3];
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
    int n[4];
    if (argc < 5) return 2;
    for (int k = 0; k < 4; k++) {
        n[k] = atoi(argv[k + 1]);
        if (n[k] < 0 || n[k] > 2) { puts("range"); return 1; }
    }
    join(n[0], n[1]);
    puts(find(n[2]) == find(n[3]) ? "same" : "other");
    return 0;
}
