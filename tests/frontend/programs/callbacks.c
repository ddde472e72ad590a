// Callbacks from library code: qsort, bsearch, tsearch and twalk, one calling the library again.
#define _GNU_SOURCE
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct item { char name[8]; int price; };
static int comparisons;

static int by_price(const void *a, const void *b) {
    comparisons++;
    return ((const struct item *)a)->price - ((const struct item *)b)->price;
}
static int by_name(const void *a, const void *b) { return strcmp(((const struct item *)a)->name, ((const struct item *)b)->name); }
static int by_word(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }
static int with_order(const void *a, const void *b, void *order) { return *(int *)order * (*(const int *)a - *(const int *)b); }
static int nested(const void *a, const void *b) {
    int pair[2] = {*(const int *)a, *(const int *)b}, up = 1;
    qsort_r(pair, 2, sizeof *pair, with_order, &up);
    return pair[0] == *(const int *)a ? -1 : 1;
}
static int plain(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
static void visit(const void *node, VISIT order, int level) {
    if (order == postorder || order == leaf) printf("%d@%d ", **(int *const *)node, level);
}

int main(void) {
    struct item items[] = {{"pear", 5}, {"apple", 3}, {"fig", 9}, {"plum", 4}, {"kiwi", 1}};
    qsort(items, 5, sizeof *items, by_price);
    for (int i = 0; i < 5; i++) printf("%s ", items[i].name);
    qsort(items, 5, sizeof *items, by_name);
    struct item wanted = {"kiwi", 0};
    struct item *found = bsearch(&wanted, items, 5, sizeof *items, by_name);
    printf("%d %d\n", found->price, comparisons > 4);
    const char *words[] = {"to", "be", "or", "not"};
    qsort(words, 4, sizeof *words, by_word);
    int numbers[] = {4, 8, 15, 16, 23, 42}, down = -1;
    qsort_r(numbers, 6, sizeof *numbers, with_order, &down);
    printf("%s %d %d\n", words[0], numbers[0], numbers[5]);
    int distinct[] = {3, 1, 2};
    qsort(distinct, 3, sizeof *distinct, nested);
    printf("%d%d%d\n", distinct[0], distinct[1], distinct[2]);
    void *tree = NULL;
    for (int i = 0; i < 6; i++) tsearch(&numbers[i], &tree, plain);
    twalk(tree, visit);
    printf("%d\n", tfind(&(int){15}, &tree, plain) != NULL);
    while (tree) tdelete(*(int **)tree, &tree, plain);
    return 0;
}
