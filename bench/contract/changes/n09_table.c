#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct entry { char *key; int value; struct entry *next; };
struct table { struct entry *slots[8]; int used; };
static unsigned slot_of(const char *key) {
    unsigned sum = 0;
    while (*key)
        sum = sum * 31 + (unsigned char)*key++;
    return sum % 8;
}
static void put(struct table *table, const char *key, int value) {
    unsigned slot = slot_of(key);
    for (struct entry *at = table->slots[slot]; at; at = at->next)
        if (!strcmp(at->key, key)) {
            @{at->value += value|at->value = value};
            return;
        }
    struct entry *made = malloc(sizeof *made);
    made->key = strdup(key);
    made->value = value;
    made->next = table->slots[slot];
    table->slots[slot] = made;
    table->used++;
}
static int get(struct table *table, const char *key) {
    for (struct entry *at = table->slots[slot_of(key)]; at; at = at->next)
        if (!strcmp(at->key, key))
            return at->value;
    return -1;
}
int main(void) {
    struct table table = {0};
    put(&table, "a", 1);
    put(&table, "b", 2);
    put(&table, "a", 5);
    printf("%d %d %d\n", get(&table, "a"), get(&table, "b"), table.used);
    return 0;
}
