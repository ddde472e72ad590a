/* Who wrote the bytes that lie in memory now, and what are they?

   1. A byte that is `known` has the contents of the last write that we saw, by step `definer`
      (0: it was there before the run).
   2. A byte that is not known was written by step `definer`, contents untold (INITIAL: it was
      there before the run; FRESH: nobody we saw wrote it).
   3. A page without arrays is the same all over: `definer` and `fill` tell it; a page that is
      not in the table is FRESH.  So gigabytes of memset take no memory. */
#ifndef WHENCE_MEMORY_H
#define WHENCE_MEMORY_H
#include "tables.h"

#include <string.h>

#define FRESH 0u
#define INITIAL 0xffffffffu
#define UNKNOWN 256u /* a page's fill: contents not known */
#define PAGE 4096u

struct bytes { /* the arrays of a page */
    u8 data[PAGE];
    u8 known[PAGE];
    u32 definer[PAGE];
};
struct page { u64 number; struct bytes *bytes; u32 definer, fill; };
struct run { u32 offset, length, step; };
struct runs { struct run *run; u32 n, size; };

/* The variable arguments of a call in progress: when bytes there are new to us, that call wrote
   them.  Where they lie is known once the pointers in the va_list have been loaded. */
struct variadic { u64 list, size, area[4]; u32 n_areas, call, depth; };

struct memory {
    struct page *pages; /* hash table, open addressing; number is page number + 1 */
    u64 n_pages, size;
    u64 n_bytes, limit; /* pages with arrays */
    struct page cache[256];
    u32 called;   /* the latest call into code that is not recorded; 0 none */
    u32 external; /* the latest of those that can have written the program's memory */
    u64 errno_at; /* where errno lies, once the program has asked; every call can set it */
    struct variadic *variadic;
    u32 n_variadic, variadic_size;
    int out_of_memory;
};

void memory_open(struct memory *m, u64 limit); /* bytes that the shadow may take */
void memory_close(struct memory *m);
void memory_initial(struct memory *m, u64 address, u64 size, const u8 *bytes);
void memory_store(struct memory *m, u64 address, const u8 *data, u64 size, u32 step);
void memory_write(struct memory *m, u64 address, u64 size, u32 step); /* contents untold */
void memory_fill(struct memory *m, u64 address, u64 size, u8 byte, u32 step);
void memory_copy(struct memory *m, u64 to, u64 from, u64 size, u32 step); /* may overlap */
void memory_forget(struct memory *m, u64 address, u64 size); /* fresh from the allocator */

/* Append who defined the bytes; `at` is the offset of the first run. */
void memory_load(struct memory *m, u64 address, const u8 *data, u64 size, u32 at, struct runs *to);
void memory_read(struct memory *m, u64 address, u64 size, struct runs *to); /* contents untold */
void runs_add(struct memory *m, struct runs *to, u32 offset, u32 length, u32 step);

void memory_variadic(struct memory *m, u64 list, u64 size, u32 call, u32 depth);

struct bytes *memory_bytes(struct memory *m, u64 address); /* of the page; NULL: out of memory */

static inline struct bytes *memory_page(struct memory *m, u64 address) {
    u64 number = (address >> 12) + 1;
    struct page *cached = &m->cache[number & 255];
    return cached->number == number ? cached->bytes : memory_bytes(m, address);
}

#endif
