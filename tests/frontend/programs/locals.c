// Local memory: arrays of variable length, alloca, compound literals, flexible array members,
// statement expressions, nested and designated initialisers, static locals, TLS, cleanups.
#include <alloca.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct point { int x, y; };
struct shape { const char *name; struct point at, corner[3]; union { int i; double d; } extra; };
struct message { size_t length; char text[]; };

static const struct shape shapes[] = {
    {"dot", {1, 2}},
    [2] = {.name = "line", .corner[1].y = 7, .corner[0] = {3, 4}, .extra.d = 2.5},
};
static int grid[3][4] = {{1, 2}, [2][1] = 9};
static struct message fixed = {5, "fixed"};
static char *words[] = {"one", "two" "three", [4] = "five"};
static __thread int mine = 3;
static _Thread_local struct point own = {4, 5};
int *address_of_mine(void) { return &mine; }

static int variable(int n, int m, int table[n][m]) {
    int copy[m], sum = 0;
    for (int i = 0; i < n; i++) {
        int row[i + 1];
        memcpy(copy, table[i], sizeof copy);
        for (int j = 0; j <= i; j++) row[j] = copy[j % m];
        sum += row[i] * (int)(sizeof row / sizeof *row);
    }
    return sum;
}

static char *repeated(char c, int n) {
    char *text = NULL;
    for (int i = 1; i <= n; i++) {
        char *more = alloca(i + 1);
        memset(more, c, i);
        more[i] = 0;
        text = more;
    }
    return strdup(text);
}

static int counter(void) { static int n = 5; static int seen[3]; return n++ * 10 + ++seen[n % 3]; }
static void leaving(int *value) { printf("leaving %d\n", *value); }
static int cleaned(int n) {
    for (int i = 0; i < 3; i++) {
        __attribute__((cleanup(leaving))) int kept = i * n;
        if (kept > 3) return kept;
    }
    return -1;
}
static int total(const struct point *p, int n) { return n ? p->x * p->y + total(p + 1, n - 1) : 0; }

int main(void) {
    int table[3][2] = {{1, 2}, {3, 4}, {5, 6}};
    printf("%d\n", variable(3, 2, table));
    char *text = repeated('x', 5);
    printf("%s %d\n", text, total((struct point[]){{1, 2}, {3, 4}, {.y = 9}}, 3));
    free(text);
    struct message *m = malloc(sizeof *m + 6);
    m->length = 5, strcpy(m->text, "hello");
    printf("%zu %s %s\n", m->length, m->text, fixed.text);
    free(m);
    printf("%s %d %d %g %s\n", shapes[2].name, shapes[2].corner[1].y, shapes[1].at.x,
           shapes[2].extra.d, words[1]);
    int biggest = ({ int best = 0; for (int i = 0; i < 12; i++) if (grid[i / 4][i % 4] > best) best = grid[i / 4][i % 4]; best; });
    printf("%d %d\n", biggest, words[2] == NULL);
    printf("%d %d %d\n", counter(), counter(), counter());
    printf("%d\n", cleaned(2));
    mine += 4, own.x *= mine;
    *address_of_mine() += 1;
    printf("%d %d\n", mine, own.x);
    struct point p = {1, 2}, *q = &p, **r = &q, other = *q;
    (*r)->x = 10, other.y += (**r).x;
    int *into = &grid[1][0], *end = into + 8;
    while (into < end) *into++ += 1;
    printf("%d %d %d %td\n", p.x, other.y, grid[2][1], end - &grid[0][0]);
    const char *kind = _Generic(p.x, int: "int", default: "other");
    int size = 3;
    int filled[size];
    for (int i = 0; i < size; i++) filled[i] = i;
    printf("%s %d %zu\n", kind, filled[2], sizeof filled);
    return 0;
}
