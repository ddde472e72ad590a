/*
 * hashtable: a map from words to integers, driven by a script of commands.
 *
 *     usage: hashtable [-c CAPACITY] [-q] <script
 *
 * One command per line; `#` starts a comment.
 *
 *     set KEY N    bind KEY to N
 *     add KEY N    add N to what KEY is bound to (0 if it is not)
 *     get KEY      print the value of KEY
 *     del KEY      forget KEY
 *     list         print all bindings, sorted by key
 *     top N        print the N largest bindings
 *     stat         print the size of the table
 *     check        verify the invariants of the table
 *
 * The table is open-addressed with linear probing.  A deleted slot stays
 * behind as a tombstone until it is reused or the table grows.
 */
#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIN_CAPACITY 4
#define MAX_WORDS 3
#define LINE_SIZE 128

enum slot_state { SLOT_EMPTY, SLOT_FULL, SLOT_DELETED };

struct slot {
    enum slot_state state;
    unsigned hash;
    char *key;
    long value;
};

struct map {
    struct slot *slots;
    size_t capacity; /* a power of two */
    size_t used;     /* slots that are full */
    size_t deleted;  /* slots that are tombstones */
};

/* ---- the map ---------------------------------------------------------- */

static void *checked(void *memory)
{
    if (memory == NULL) {
        fprintf(stderr, "hashtable: out of memory\n");
        exit(3);
    }
    return memory;
}

static char *copy_string(const char *text)
{
    size_t size = strlen(text) + 1;
    return memcpy(checked(malloc(size)), text, size);
}

static unsigned hash_key(const char *key)
{
    unsigned hash = 7;
    for (; *key != '\0'; key++)
        hash = hash * 31 + (unsigned char)*key;
    return hash;
}

static void map_init(struct map *map, size_t wanted)
{
    size_t capacity = MIN_CAPACITY;
    while (capacity < wanted)
        capacity *= 2;
    map->slots = checked(calloc(capacity, sizeof *map->slots));
    map->capacity = capacity;
    map->used = 0;
    map->deleted = 0;
}

static void map_free(struct map *map)
{
    for (size_t i = 0; i < map->capacity; i++)
        free(map->slots[i].key);
    free(map->slots);
}

static size_t next_slot(const struct map *map, size_t index)
{
    return (index + 1) & (map->capacity - 1);
}

static bool holds(const struct slot *slot, unsigned hash, const char *key)
{
    return slot->state == SLOT_FULL && slot->hash == hash && strcmp(slot->key, key) == 0;
}

/* The slot of `key`, or NULL. */
static struct slot *map_find(const struct map *map, const char *key)
{
    unsigned hash = hash_key(key);
    size_t index = hash & (map->capacity - 1);
    while (map->slots[index].state != SLOT_EMPTY) {
        if (holds(&map->slots[index], hash, key))
            return &map->slots[index];
        index = next_slot(map, index);
    }
    return NULL;
}

/* The first slot on the way of `hash` that a new key may take. */
static struct slot *vacant_slot(const struct map *map, unsigned hash)
{
    size_t index = hash & (map->capacity - 1);
    while (map->slots[index].state == SLOT_FULL)
        index = next_slot(map, index);
    return &map->slots[index];
}

static void map_grow(struct map *map)
{
    struct slot *old = map->slots;
    size_t old_capacity = map->capacity;
    size_t wanted = map->used * 2;

    /* Many tombstones and few keys: a table of the same size will do. */
    while (map->capacity <= wanted)
        map->capacity *= 2;
    map->slots = checked(calloc(map->capacity, sizeof *map->slots));
    for (size_t i = 0; i < old_capacity; i++) {
        if (old[i].state == SLOT_FULL)
            *vacant_slot(map, old[i].hash) = old[i];
    }
    map->deleted = 0;
    free(old);
}

/* The slot of `key`, which is bound to 0 if it was not bound before. */
static struct slot *map_intern(struct map *map, const char *key)
{
    struct slot *slot = map_find(map, key);
    if (slot != NULL)
        return slot;
    if ((map->used + map->deleted + 1) * 4 > map->capacity * 3)
        map_grow(map);
    unsigned hash = hash_key(key);
    slot = vacant_slot(map, hash);
    if (slot->state == SLOT_DELETED)
        map->deleted--;
    slot->state = SLOT_FULL;
    slot->hash = hash;
    slot->key = copy_string(key);
    slot->value = 0;
    map->used++;
    return slot;
}

static bool map_delete(struct map *map, const char *key)
{
    struct slot *slot = map_find(map, key);
    if (slot == NULL)
        return false;
    free(slot->key);
    slot->key = NULL;
    slot->state = SLOT_DELETED;
    map->used--;
    map->deleted++;
    return true;
}

static void map_check(const struct map *map)
{
    size_t full = 0, deleted = 0;
    for (size_t i = 0; i < map->capacity; i++) {
        const struct slot *slot = &map->slots[i];
        if (slot->state == SLOT_DELETED)
            deleted++;
        if (slot->state == SLOT_FULL) {
            full++;
            assert(map_find(map, slot->key) == slot);
        }
    }
    assert(full == map->used);
    assert(deleted == map->deleted);
    assert(full + deleted < map->capacity);
}

/* ---- sorted views ----------------------------------------------------- */

typedef int compare_fn(const struct slot *a, const struct slot *b);

static int by_key(const struct slot *a, const struct slot *b)
{
    return strcmp(a->key, b->key);
}

static int by_value_down(const struct slot *a, const struct slot *b)
{
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return by_key(a, b);
}

/* All bindings in order; the caller frees the array. */
static const struct slot **sorted_slots(const struct map *map, compare_fn *compare)
{
    const struct slot **view = checked(malloc((map->used + 1) * sizeof *view));
    size_t count = 0;
    for (size_t i = 0; i < map->capacity; i++) {
        if (map->slots[i].state != SLOT_FULL)
            continue;
        size_t place = count++;
        while (place > 0 && compare(&map->slots[i], view[place - 1]) < 0) {
            view[place] = view[place - 1];
            place--;
        }
        view[place] = &map->slots[i];
    }
    assert(count == map->used);
    return view;
}

static void print_slots(const struct map *map, compare_fn *compare, size_t limit)
{
    const struct slot **view = sorted_slots(map, compare);
    for (size_t i = 0; i < map->used && i < limit; i++)
        printf("  %s=%ld\n", view[i]->key, view[i]->value);
    free(view);
}

/* ---- the script ------------------------------------------------------- */

static int split_words(char *line, char *words[MAX_WORDS])
{
    int count = 0;
    while (count < MAX_WORDS) {
        while (isspace((unsigned char)*line))
            line++;
        if (*line == '\0' || *line == '#')
            break;
        words[count++] = line;
        while (*line != '\0' && !isspace((unsigned char)*line))
            line++;
        if (*line != '\0')
            *line++ = '\0';
    }
    return count;
}

static bool parse_number(const char *text, long *number)
{
    bool negative = *text == '-';
    long value = 0;
    if (negative)
        text++;
    if (*text == '\0')
        return false;
    for (; *text != '\0'; text++) {
        if (!isdigit((unsigned char)*text))
            return false;
        value = value * 10 + (*text - '0');
    }
    *number = negative ? -value : value;
    return true;
}

struct command {
    const char *name;
    int words;
    bool (*run)(struct map *map, char *words[]);
};

static bool run_set(struct map *map, char *words[])
{
    long number;
    if (!parse_number(words[2], &number))
        return false;
    map_intern(map, words[1])->value = number;
    return true;
}

static bool run_add(struct map *map, char *words[])
{
    long number;
    if (!parse_number(words[2], &number))
        return false;
    map_intern(map, words[1])->value += number;
    return true;
}

static bool run_get(struct map *map, char *words[])
{
    const struct slot *slot = map_find(map, words[1]);
    if (slot != NULL)
        printf("%s=%ld\n", slot->key, slot->value);
    else
        printf("%s is not bound\n", words[1]);
    return true;
}

static bool run_del(struct map *map, char *words[])
{
    if (!map_delete(map, words[1]))
        printf("%s is not bound\n", words[1]);
    return true;
}

static bool run_list(struct map *map, char *words[])
{
    (void)words;
    printf("%zu bindings\n", map->used);
    print_slots(map, by_key, map->used);
    return true;
}

static bool run_top(struct map *map, char *words[])
{
    long limit;
    if (!parse_number(words[1], &limit) || limit < 0)
        return false;
    printf("top %ld\n", limit);
    print_slots(map, by_value_down, (size_t)limit);
    return true;
}

static bool run_stat(struct map *map, char *words[])
{
    (void)words;
    printf("used %zu, deleted %zu, capacity %zu\n", map->used, map->deleted, map->capacity);
    return true;
}

static bool run_check(struct map *map, char *words[])
{
    (void)words;
    map_check(map);
    return true;
}

static const struct command commands[] = {
    {"set", 3, run_set},   {"add", 3, run_add}, {"get", 2, run_get},   {"del", 2, run_del},
    {"list", 1, run_list}, {"top", 2, run_top}, {"stat", 1, run_stat}, {"check", 1, run_check},
};

static bool run_line(struct map *map, char *line)
{
    char *words[MAX_WORDS];
    int count = split_words(line, words);
    if (count == 0)
        return true;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        if (strcmp(commands[i].name, words[0]) == 0)
            return commands[i].words == count && commands[i].run(map, words);
    }
    return false;
}

int main(int argc, char **argv)
{
    long capacity = MIN_CAPACITY;
    bool quiet = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-q") == 0)
            quiet = true;
        else if (strcmp(argv[i], "-c") == 0 && i + 1 < argc && parse_number(argv[i + 1], &capacity))
            i++;
        else {
            fprintf(stderr, "usage: hashtable [-c CAPACITY] [-q] <script\n");
            return 2;
        }
    }

    struct map map;
    char line[LINE_SIZE];
    int line_number = 0;
    map_init(&map, (size_t)capacity);
    while (fgets(line, sizeof line, stdin) != NULL) {
        line_number++;
        if (!run_line(&map, line)) {
            fprintf(stderr, "hashtable: line %d: bad command\n", line_number);
            return 1;
        }
    }
    map_check(&map);
    if (!quiet)
        printf("%zu bindings at the end\n", map.used);
    map_free(&map);
    return 0;
}
