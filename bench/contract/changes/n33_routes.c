/* A table of routes: open addressing, entries are told apart by a vtable, deleted ones leave a mark. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct key_ops {
    unsigned (*hash)(const void *key);
    int (*equal)(const void *a, const void *b);
    void (*release)(void *key);
} key_ops;

typedef struct slot {
    void *key;
    long value;
    unsigned char state; /* 0 empty, 1 used, 2 deleted */
} slot;

typedef struct table {
    const key_ops *ops;
    slot *slots;
    size_t room, used, marks;
    unsigned long probes;
} table;

static unsigned hash_text(const void *key)
{
    unsigned h = 2166136261u;
    for (const unsigned char *p = key; *p; p++)
        h = (h ^ *p) * 16777619u;
    return h;
}

static int equal_text(const void *a, const void *b)
{
    return strcmp(a, b) == 0;
}

static char *copy(const char *text)
{
    char *made = malloc(strlen(text) + 1);
    return strcpy(made, text);
}

static const key_ops text_ops = {hash_text, equal_text, free};

static table *table_new(const key_ops *ops, size_t room)
{
    table *t = calloc(1, sizeof *t);
    t->ops = ops;
    t->room = room;
    t->slots = calloc(room, sizeof *t->slots);
    return t;
}

static slot *find(table *t, const void *key, int for_insert)
{
    size_t at = t->ops->hash(key) & (t->room - 1);
    slot *free_slot = NULL;
    for (size_t i = 0; i < t->room; i++, at = (at + 1) & (t->room - 1)) {
        slot *s = &t->slots[at];
        t->probes++;
        if (s->state == 0)
            return for_insert ? (free_slot ? free_slot : s) : NULL;
        if (s->state == 2) {
            if (!free_slot)
                free_slot = s;
            @{if (!for_insert) return NULL;|}
        } else if (t->ops->equal(s->key, key))
            return s;
    }
    return for_insert ? free_slot : NULL;
}

static void grow(table *t);

static int put(table *t, const char *key, long value)
{
    if ((t->used + t->marks + 1) * 4 > t->room * 3)
        grow(t);
    slot *s = find(t, key, 1);
    if (s->state == 1) {
        s->value = value;
        return 0;
    }
    t->marks -= s->state == 2;
    s->key = copy(key);
    s->value = value;
    s->state = 1;
    t->used++;
    return 1;
}

static void grow(table *t)
{
    slot *old = t->slots;
    size_t room = t->room;
    t->room *= 2;
    t->used = t->marks = 0;
    t->slots = calloc(t->room, sizeof *t->slots);
    for (size_t i = 0; i < room; i++)
        if (old[i].state == 1) {
            slot *s = find(t, old[i].key, 1);
            *s = old[i];
            t->used++;
        }
    free(old);
}

static long get(table *t, const char *key, long otherwise)
{
    slot *s = find(t, key, 0);
    return s ? s->value : otherwise;
}

static int drop(table *t, const char *key)
{
    slot *s = find(t, key, 0);
    if (!s)
        return 0;
    t->ops->release(s->key);
    s->key = NULL;
    s->state = 2;
    t->used--;
    t->marks++;
    return 1;
}

static long sum(const table *t)
{
    long total = 0;
    for (size_t i = 0; i < t->room; i++)
        if (t->slots[i].state == 1)
            total += t->slots[i].value;
    return total;
}

static void table_free(table *t)
{
    for (size_t i = 0; i < t->room; i++)
        if (t->slots[i].state == 1)
            t->ops->release(t->slots[i].key);
    free(t->slots);
    free(t);
}

int main(void)
{
    static const char *const names[] = {"/", "/a", "/b", "/a/b", "/c", "/login", "/logout", "/img"};
    table *t = table_new(&text_ops, 8);
    for (int i = 0; i < 8; i++)
        put(t, names[i], i * 10);
    for (int i = 0; i < 8; i += 2)
        drop(t, names[i]);
    for (int i = 0; i < 8; i++)
        get(t, names[i], -1);
    put(t, "/new", 5);
    printf("%d\n", sum(t) > 0);
    table_free(t);
    return 0;
}
