#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A cache with a limit: the entry that was used least recently leaves. */

struct entry {
    char *key;
    int value;
    struct entry *next;  /* towards older entries */
    struct entry *before;
};

struct cache {
    struct entry *newest, *oldest;
    int size, limit;
    int hits, misses;
};

static struct entry *find(struct cache *cache, const char *key) {
    for (struct entry *at = cache->newest; at; at = at->next)
        if (strcmp(at->key, key) == 0)
            return at;
    return NULL;
}

static void unlink_entry(struct cache *cache, struct entry *entry) {
    if (entry->before)
        entry->before->next = entry->next;
    else
        cache->newest = entry->next;
    if (entry->next)
        entry->next->before = entry->before;
    else
        cache->oldest = entry->before;
}

static void link_newest(struct cache *cache, struct entry *entry) {
    entry->before = NULL;
    entry->next = cache->newest;
    if (cache->newest)
        cache->newest->before = entry;
    cache->newest = entry;
    if (!cache->oldest)
        cache->oldest = entry;
}

static int get(struct cache *cache, const char *key) {
    struct entry *entry = find(cache, key);
    if (!entry) {
        cache->misses++;
        return -1;
    }
    cache->hits++;
    if (entry != cache->@{newest|oldest})
        return entry->value;
    unlink_entry(cache, entry);
    link_newest(cache, entry);
    return entry->value;
}

static void put(struct cache *cache, const char *key, int value) {
    struct entry *entry = find(cache, key);
    if (entry) {
        entry->value = value;
        return;
    }
    if (cache->size == cache->limit) {
        struct entry *old = cache->oldest;
        unlink_entry(cache, old);
        free(old->key);
        free(old);
        cache->size--;
    }
    entry = malloc(sizeof *entry);
    entry->key = strdup(key);
    entry->value = value;
    link_newest(cache, entry);
    cache->size++;
}

int main(void) {
    struct cache cache = {NULL, NULL, 0, 2, 0, 0};
    put(&cache, "one", 1);
    put(&cache, "two", 2);
    get(&cache, "one");
    put(&cache, "three", 3);
    int one = get(&cache, "one");
    int three = get(&cache, "three");
    int sum = one + three;
    printf("%d\n", sum);
    return 0;
}
