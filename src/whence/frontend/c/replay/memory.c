#include "memory.h"

#include <stdlib.h>

void memory_open(struct memory *m, u64 limit) {
    memset(m, 0, sizeof *m);
    m->limit = limit / sizeof(struct bytes);
    m->size = 1 << 12;
    m->pages = calloc(m->size, sizeof *m->pages);
    m->out_of_memory = !m->pages;
}

void memory_close(struct memory *m) {
    for (u64 i = 0; m->pages && i < m->size; i++) free(m->pages[i].bytes);
    free(m->pages);
    free(m->variadic);
    free(m->touched);
}

static struct page *place(struct page *pages, u64 size, u64 number) {
    u64 i = (number * 0x9e3779b97f4a7c15u) >> 20;
    for (;; i++) {
        struct page *p = &pages[i & (size - 1)];
        if (p->number == number || !p->number) return p;
    }
}

static void grow(struct memory *m) {
    struct page *pages = calloc(2 * m->size, sizeof *pages);
    if (!pages) {
        m->out_of_memory = 1;
        return;
    }
    for (u64 i = 0; i < m->size; i++)
        if (m->pages[i].number) *place(pages, 2 * m->size, m->pages[i].number) = m->pages[i];
    free(m->pages);
    m->pages = pages;
    m->size *= 2;
}

static struct page *add(struct memory *m, u64 number, u32 definer, u32 fill) {
    if (4 * m->n_pages >= 3 * m->size && !m->out_of_memory) grow(m);
    if (m->out_of_memory) return NULL;
    struct page *p = place(m->pages, m->size, number);
    *p = (struct page){number, NULL, definer, fill, 0};
    m->n_pages++;
    return p;
}

static struct bytes *arrays(struct memory *m) { /* NULL: out of memory */
    struct bytes *made = m->n_bytes++ < m->limit ? malloc(sizeof *made) : NULL;
    if (!made) m->out_of_memory = 1;
    return made;
}

/* Add the page as it was saved last; NULL: it was not saved, so all of it is FRESH. */
static struct page *restored(struct memory *m, u64 number) {
    u64 low = 0, high = m->n_saved; /* rows before `low` are at or before the wanted one */
    while (low < high) {
        u64 middle = (low + high) / 2;
        const struct saved_page *row = &m->saved[middle];
        if (row->number < number || (row->number == number && row->section <= m->section))
            low = middle + 1;
        else high = middle;
    }
    const struct saved_page *row = low ? &m->saved[low - 1] : NULL;
    if (!row || row->number != number) return NULL;
    struct page *p = add(m, number, row->definer, row->fill);
    if (!p || row->at == ~0ull) return p;
    p->bytes = arrays(m);
    if (!p->bytes) return NULL;
    if (m->saved_size < sizeof *p->bytes || row->at > m->saved_size - sizeof *p->bytes) {
        m->out_of_memory = 1; /* the file was cut */
        return NULL;
    }
    memcpy(p->bytes, m->saved_bytes + row->at, sizeof *p->bytes);
    return p;
}

struct page *memory_find(struct memory *m, u64 number) {
    if (m->out_of_memory) return NULL;
    struct page *p = place(m->pages, m->size, number);
    if (p->number) return p;
    return m->saved ? restored(m, number) : NULL;
}

static struct page *find(struct memory *m, u64 address) { return memory_find(m, (address >> 12) + 1); }

static struct page *make(struct memory *m, u64 address) { /* NULL: out of memory */
    struct page *p = find(m, address);
    return p ? p : add(m, (address >> 12) + 1, FRESH, UNKNOWN);
}

void memory_section(struct memory *m, u32 section) {
    m->section = section;
    m->n_touched = 0;
    memset(m->cache, 0, sizeof m->cache); /* so that the next access to a page is noted */
}

static void note_touched(struct memory *m, struct page *p) {
    if (!m->section || m->saved || p->touched == m->section) return;
    if (m->n_touched == m->touched_size) {
        u64 wanted = m->touched_size ? 2 * m->touched_size : 1024;
        u64 *more = realloc(m->touched, wanted * sizeof *more);
        if (!more) {
            m->out_of_memory = 1;
            return;
        }
        m->touched = more;
        m->touched_size = wanted;
    }
    p->touched = m->section;
    m->touched[m->n_touched++] = p->number;
}

struct bytes *memory_bytes(struct memory *m, u64 address) {
    struct page *p = make(m, address);
    if (!p) return NULL;
    note_touched(m, p);
    if (!p->bytes) {
        p->bytes = arrays(m);
        if (!p->bytes) return NULL;
        memset(p->bytes->data, p->fill == UNKNOWN ? 0 : (int)p->fill, PAGE);
        memset(p->bytes->known, p->fill != UNKNOWN, PAGE);
        for (u32 i = 0; i < PAGE; i++) p->bytes->definer[i] = p->definer;
    }
    m->cache[p->number & 255] = *p;
    return p->bytes;
}

static u64 part_in_page(u64 address, u64 size) { /* the bytes that lie in the first page */
    u64 room = PAGE - (address & (PAGE - 1));
    return size < room ? size : room;
}

/* Give all bytes the same definer and the same contents (a byte, or UNKNOWN). */
static void set(struct memory *m, u64 address, u64 size, u32 definer, u32 fill) {
    for (u64 n; size && !m->out_of_memory; address += n, size -= n) {
        n = part_in_page(address, size);
        struct page *p = n == PAGE ? make(m, address) : NULL;
        if (p && !p->bytes) {
            note_touched(m, p);
            p->definer = definer;
            p->fill = fill;
            continue;
        }
        struct bytes *b = memory_page(m, address);
        if (!b) return;
        u32 at = address & (PAGE - 1);
        memset(b->data + at, fill == UNKNOWN ? 0 : (int)fill, n);
        memset(b->known + at, fill != UNKNOWN, n);
        for (u64 i = 0; i < n; i++) b->definer[at + i] = definer;
    }
}

void memory_store(struct memory *m, u64 address, const u8 *data, u64 size, u32 step) {
    for (u64 n; size && !m->out_of_memory; address += n, data += n, size -= n) {
        n = part_in_page(address, size);
        struct bytes *b = memory_page(m, address);
        if (!b) return;
        u32 at = address & (PAGE - 1);
        memcpy(b->data + at, data, n);
        memset(b->known + at, 1, n);
        for (u64 i = 0; i < n; i++) b->definer[at + i] = step;
    }
}

void memory_initial(struct memory *m, u64 address, u64 size, const u8 *bytes) {
    if (bytes) memory_store(m, address, bytes, size, 0);
    else set(m, address, size, INITIAL, UNKNOWN);
}

void memory_write(struct memory *m, u64 address, u64 size, u32 step) {
    set(m, address, size, step ? step : INITIAL, UNKNOWN);
}

void memory_fill(struct memory *m, u64 address, u64 size, u8 byte, u32 step) {
    set(m, address, size, step, byte);
}

void memory_forget(struct memory *m, u64 address, u64 size) {
    /* Touch only existing pages: reserving terabytes is cheap for the program, so it must be
       here. */
    if (size > m->size * PAGE) {
        for (u64 i = 0; i < m->n_saved; i++)
            if (((m->saved[i].number - 1) << 12) - address < size) memory_find(m, m->saved[i].number);
        for (u64 i = 0; i < m->size && !m->out_of_memory; i++) {
            u64 at = (m->pages[i].number - 1) << 12;
            if (m->pages[i].number && at - address < size) set(m, at, PAGE, FRESH, UNKNOWN);
        }
        return;
    }
    for (u64 n; size; address += n, size -= n) {
        n = part_in_page(address, size);
        if (find(m, address)) set(m, address, n, FRESH, UNKNOWN);
    }
}

static void copy_part(struct memory *m, u64 to, u64 from, u64 n, u32 step) {
    struct page *p = find(m, from);
    if (!p || !p->bytes) {
        u32 fill = p ? p->fill : UNKNOWN;
        set(m, to, n, step || fill != UNKNOWN ? step : INITIAL, fill);
        return;
    }
    struct bytes *source = p->bytes, *b = memory_page(m, to);
    if (!b) return;
    u32 i = to & (PAGE - 1), j = from & (PAGE - 1);
    memmove(b->data + i, source->data + j, n);
    memmove(b->known + i, source->known + j, n);
    for (u64 k = 0; k < n; k++) b->definer[i + k] = step || b->known[i + k] ? step : INITIAL;
}

static void copy_variadic(struct memory *m, u64 to, u64 from, u64 size) { /* va_copy */
    for (u32 i = m->n_variadic; i-- > 0;)
        if (m->variadic[i].list == from && m->variadic[i].size == size) {
            memory_variadic(m, to, size, m->variadic[i].call, m->variadic[i].depth);
            return;
        }
}

void memory_copy(struct memory *m, u64 to, u64 from, u64 size, u32 step) {
    if (m->n_variadic) copy_variadic(m, to, from, size);
    int backwards = to - from < size;
    for (u64 done = 0, n; done < size && !m->out_of_memory; done += n) {
        u64 left = size - done;
        if (backwards) { /* the last part that crosses no page border on either side */
            u64 t = ((to + left - 1) & (PAGE - 1)) + 1, f = ((from + left - 1) & (PAGE - 1)) + 1;
            n = t < f ? t : f;
            n = n < left ? n : left;
            copy_part(m, to + left - n, from + left - n, n, step);
        } else {
            n = part_in_page(to + done, part_in_page(from + done, left));
            copy_part(m, to + done, from + done, n, step);
        }
    }
}

void memory_variadic(struct memory *m, u64 list, u64 size, u32 call, u32 depth) {
    if (m->n_variadic == m->variadic_size) {
        u32 wanted = m->variadic_size ? 2 * m->variadic_size : 16;
        struct variadic *more = realloc(m->variadic, wanted * sizeof *more);
        if (!more) {
            m->out_of_memory = 1;
            return;
        }
        m->variadic = more;
        m->variadic_size = wanted;
    }
    m->variadic[m->n_variadic++] = (struct variadic){list, size, {0}, 0, call, depth};
}

/* A pointer was loaded from a va_list for the first time: it points to the arguments. */
static void learn_area(struct memory *m, u64 address, const u8 *data, u64 size) {
    for (u32 i = m->n_variadic; size == 8 && i-- > 0;) {
        struct variadic *v = &m->variadic[i];
        if (address - v->list >= v->size || v->n_areas == 4) continue;
        memcpy(&v->area[v->n_areas++], data, 8);
        return;
    }
}

enum { AREA = 176 }; /* bytes that hold the register arguments on x86-64 */

/* Return the step that wrote this byte without a record in the log, after step `definer`; 0:
   none.  `changed`: the byte differs from the recorded one, so some call wrote it.  Otherwise it
   is seen for the first time and may have been there before the run. */
static u32 unrecorded_writer(const struct memory *m, u64 address, u32 definer, int changed) {
    for (u32 i = m->n_variadic; i-- > 0;)
        for (u32 k = 0; k < m->variadic[i].n_areas; k++)
            if (address - m->variadic[i].area[k] < AREA && m->variadic[i].call > definer)
                return m->variadic[i].call;
    int is_errno = address - m->errno_at < 4;
    if (m->external > definer && !is_errno) return m->external;
    return (changed || is_errno) && m->called > definer ? m->called : 0;
}

void runs_add(struct memory *m, struct runs *to, u32 offset, u32 length, u32 step) {
    struct run *last = to->n ? &to->run[to->n - 1] : NULL;
    if (last && last->step == step && last->offset + last->length == offset) {
        last->length += length;
        return;
    }
    if (to->n == to->size) {
        u32 wanted = to->size ? 2 * to->size : 64;
        struct run *more = realloc(to->run, wanted * sizeof *more);
        if (!more) {
            m->out_of_memory = 1;
            return;
        }
        to->run = more;
        to->size = wanted;
    }
    to->run[to->n++] = (struct run){offset, length, step};
}

void memory_load(struct memory *m, u64 address, const u8 *data, u64 size, u32 at, struct runs *to) {
    if (m->n_variadic) learn_area(m, address, data, size);
    for (u64 i = 0; i < size; i++) {
        struct bytes *b = memory_page(m, address + i);
        if (!b) return;
        u32 k = (address + i) & (PAGE - 1), definer = b->definer[k];
        if (b->known[k] ? b->data[k] != data[i] : definer == FRESH)
            definer = unrecorded_writer(m, address + i, definer, b->known[k]);
        else if (definer == INITIAL)
            definer = 0;
        b->data[k] = data[i];
        b->known[k] = 1;
        b->definer[k] = definer;
        runs_add(m, to, at + (u32)i, 1, definer);
    }
}

static u32 definer_of(const struct memory *m, u64 address, u32 definer, int known) {
    if (definer == INITIAL) return 0;
    return definer || known ? definer : unrecorded_writer(m, address, 0, 0);
}

void memory_read(struct memory *m, u64 address, u64 size, struct runs *to) {
    for (u64 done = 0, n; done < size && !m->out_of_memory; done += n) {
        n = part_in_page(address + done, size - done);
        struct page *p = find(m, address + done);
        u32 at = (address + done) & (PAGE - 1);
        if (!p || !p->bytes) {
            u32 step = definer_of(m, address + done, p ? p->definer : FRESH, p && p->fill != UNKNOWN);
            runs_add(m, to, (u32)done, (u32)n, step);
            continue;
        }
        for (u64 i = 0; i < n; i++)
            runs_add(m, to, (u32)(done + i), 1, definer_of(m, address + done + i,
                     p->bytes->definer[at + i], p->bytes->known[at + i]));
    }
}
