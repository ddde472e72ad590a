/* Which step wrote the bytes in memory, and what are they?

   1. A `known` byte has the contents of the last write that was recorded, by step `definer`
      (0: it was there before the run).
   2. A byte that is not known was written by step `definer` with unknown contents (INITIAL: it was
      there before the run; FRESH: no recorded step wrote it).
   3. A page without arrays is uniform: `definer` and `fill` describe all its bytes; a page that is
      not in the table is FRESH.  So a memset of gigabytes takes no memory. */
#ifndef WHENCE_MEMORY_H
#define WHENCE_MEMORY_H
#include "tables.h"

#include <string.h>

#define FRESH 0u            /* definers, see 2 above */
#define INITIAL 0xffffffffu
#define UNKNOWN 256u /* the fill of a page whose contents are not known */
#define PAGE 4096u

struct bytes { /* the arrays of a page */
    u8 data[PAGE];
    u8 known[PAGE];
    u32 definer[PAGE];
};
struct page { u64 number; struct bytes *bytes; u32 definer, fill, touched; };
/* A page as it was when section `section` began; `at` is the offset of its arrays, or ~0. */
struct saved_page { u64 number, at; u32 section, definer, fill, pad; };
struct run { u32 offset, length, step; };
struct runs { struct run *run; u32 n, size; };

/* The variable arguments of a call in progress.  That call wrote the bytes there that were not
   seen before.  Their place is known once the pointers in the va_list have been loaded. */
struct variadic { u64 list, size, area[4]; u32 n_areas, call, depth; };

struct memory {
    struct page *pages; /* hash table, open addressing; number is page number + 1 */
    u64 n_pages, size;
    u64 n_bytes, limit; /* number of pages with arrays, and its limit */
    struct page cache[256];
    u32 called;   /* the latest call into code that is not recorded; 0: none */
    u32 external; /* the latest such call that can have written memory without logging it */
    u64 errno_at; /* the address of errno, once the program has got it; every call can set errno */
    struct variadic *variadic;
    u32 n_variadic, variadic_size;
    int out_of_memory;
    /* Which pages were accessed since section `section` began; 0: pages are not noted yet. */
    u32 section;
    u64 *touched, n_touched, touched_size;
    /* Where pages come from that are not in the table: the latest row of a page counts whose
       section is at most `section`.  Rows are ordered by number and section; NULL: nowhere. */
    const struct saved_page *saved;
    u64 n_saved, saved_size;
    const u8 *saved_bytes;
};

void memory_open(struct memory *m, u64 limit); /* `limit`: bytes for the shadow */
void memory_close(struct memory *m);
void memory_initial(struct memory *m, u64 address, u64 size, const u8 *bytes);
void memory_store(struct memory *m, u64 address, const u8 *data, u64 size, u32 step);
void memory_write(struct memory *m, u64 address, u64 size, u32 step); /* contents unknown */
void memory_fill(struct memory *m, u64 address, u64 size, u8 byte, u32 step);
void memory_copy(struct memory *m, u64 to, u64 from, u64 size, u32 step); /* may overlap */
void memory_forget(struct memory *m, u64 address, u64 size); /* fresh from the allocator */

/* Append the definers of the bytes; `at` is the offset of the first run. */
void memory_load(struct memory *m, u64 address, const u8 *data, u64 size, u32 at, struct runs *to);
void memory_read(struct memory *m, u64 address, u64 size, struct runs *to); /* contents unknown */
void runs_add(struct memory *m, struct runs *to, u32 offset, u32 length, u32 step);

void memory_section(struct memory *m, u32 section); /* note pages from now on, for this section */
struct page *memory_find(struct memory *m, u64 number); /* by its number + 1; NULL: all FRESH */

void memory_variadic(struct memory *m, u64 list, u64 size, u32 call, u32 depth);

struct bytes *memory_bytes(struct memory *m, u64 address); /* of the page; NULL: out of memory */

static inline struct bytes *memory_page(struct memory *m, u64 address) {
    u64 number = (address >> 12) + 1;
    struct page *cached = &m->cache[number & 255];
    return cached->number == number ? cached->bytes : memory_bytes(m, address);
}

#endif
