/* Memory, growing columns and hash tables of the replaying kernel. */

#ifndef WHENCE_REPLAY_BASE_H
#define WHENCE_REPLAY_BASE_H

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

#define EXPORT __attribute__((visibility("default")))

enum { NO_MEMORY = -1, BAD_LOG = -2 };  /* what an exported function returns when it fails */

static __thread jmp_buf *escape;  /* where a failed function of the kernel returns to */

static void *resized(void *old, u64 size) {
    void *got = realloc(old, size ? size : 1);
    if (!got) longjmp(*escape, NO_MEMORY);
    return got;
}

static void *zeroed(u64 count, u64 size) {
    void *got = calloc(count ? count : 1, size);
    if (!got) longjmp(*escape, NO_MEMORY);
    return got;
}

/* Let the system have the memory that was freed. */
static void give_back_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/* --- columns --- */

typedef struct { u32 *at; u64 n, room; } column_t;   /* of u32 */
typedef struct { u64 *at; u64 n, room; } column64_t;
typedef struct { u8 *at; u64 n, room; } bytes_t;

static void make_room(void **at, u64 *room, u64 needed, u64 size) {
    if (needed <= *room) return;
    u64 wanted = *room + *room / 2 + 64;
    if (wanted < needed) wanted = needed;
    *at = resized(*at, wanted * size);
    *room = wanted;
}

static void push(column_t *column, u32 value) {
    if (column->n == column->room)
        make_room((void **)&column->at, &column->room, column->n + 1, sizeof(u32));
    column->at[column->n++] = value;
}

static void push64(column64_t *column, u64 value) {
    if (column->n == column->room)
        make_room((void **)&column->at, &column->room, column->n + 1, sizeof(u64));
    column->at[column->n++] = value;
}

/* --- hash tables from u64 to u32; the key ~0 does not occur --- */

typedef struct { u64 key; u32 value; } __attribute__((packed)) entry_t;
typedef struct { entry_t *at; u64 n, room; } table_t;  /* room: a power of 2 */
static const u64 NO_KEY = ~(u64)0;

static u64 scrambled(u64 x) {
    x ^= x >> 32; x *= 0x9E3779B97F4A7C15u;
    x ^= x >> 29; x *= 0xBF58476D1CE4E5B9u;
    return x ^ x >> 32;
}

static entry_t *slot_of(const table_t *table, u64 key) {
    u64 at = scrambled(key) & (table->room - 1);
    while (table->at[at].key != NO_KEY && table->at[at].key != key)
        at = (at + 1) & (table->room - 1);
    return &table->at[at];
}

static void grow_table(table_t *table) {
    table_t old = *table;
    table->room = old.room ? old.room * 2 : 64;
    table->at = resized(NULL, table->room * sizeof(entry_t));
    for (u64 k = 0; k < table->room; k++) table->at[k].key = NO_KEY;
    for (u64 k = 0; k < old.room; k++)
        if (old.at[k].key != NO_KEY) *slot_of(table, old.at[k].key) = old.at[k];
    free(old.at);
}

/* Return the entry of a key; a new one has the value 0. */
static entry_t *entry_for(table_t *table, u64 key) {
    if (table->n * 3 >= table->room * 2) grow_table(table);
    entry_t *found = slot_of(table, key);
    if (found->key == NO_KEY) {
        found->key = key;
        found->value = 0;
        table->n++;
    }
    return found;
}

static void set_entry(table_t *table, u64 key, u32 value) { entry_for(table, key)->value = value; }

/* Return the value of a key; 0 if it has none. */
static u32 entry(const table_t *table, u64 key) {
    if (!table->room) return 0;
    const entry_t *found = slot_of(table, key);
    return found->key == NO_KEY ? 0 : found->value;
}

static u64 pair(u32 high, u32 low) { return (u64)high << 32 | low; }

#endif
