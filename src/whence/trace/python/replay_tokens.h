/* Which values does a log contain?

   A value is a token: a number that is the same for equal values.  A small int is a token by
   itself, see INLINE.  Every other value has an entry in the table of tokens.  The log is in
   Python's marshal format, version 4; a value that the writer met twice is a reference to its first
   place in the chunk. */

#ifndef WHENCE_REPLAY_TOKENS_H
#define WHENCE_REPLAY_TOKENS_H

#include "replay_base.h"

enum {  /* kinds of tokens; the same numbers as in kernel.py */
    T_MISSING, T_NONE, T_TRUE, T_FALSE, T_INT, T_FLOAT, T_STR, T_BYTES, T_TUPLE, T_OBJECT,
    T_DISPLAY, T_OTHER, T_ADDRESS
};
enum { NONE = 1, TRUE_ = 2, FALSE_ = 3 };  /* tokens with fixed numbers; MISSING is 0 */
static const u32 INLINE = 0x80000000u;                  /* INLINE + 2**30 + i: the int i */
static const i64 MOST_INLINE = 1 << 30;

typedef struct {
    u64 x;     /* object: its address; display and tuple: start in items; others: start in text */
    u32 a, b;  /* object: type, shape; tuple: length; display: length, kind; others: length */
    u32 hash;
    u8 tag;
} token_t;

typedef struct {
    token_t *at;
    u64 n, room;
    column_t items;  /* the parts of tuples and displays */
    bytes_t text;
    u32 *slots;      /* a hash table of the tokens; 0: empty */
    u64 slot_room;
    u32 stop;        /* the value of a loop step without another item */
} tokens_t;

static int is_inline(u32 token) { return token >= INLINE; }
static u32 inlined(i64 value) { return INLINE + (u32)(value + MOST_INLINE); }
static i64 inline_value(u32 token) { return (i64)(token - INLINE) - MOST_INLINE; }

static u8 tag_of(const tokens_t *t, u32 token) { return is_inline(token) ? T_INT : t->at[token].tag; }

static u32 mixed(u64 a, u64 b) { return (u32)scrambled(a * 0x9E3779B97F4A7C15u ^ b); }

static u32 hash_of(const void *data, u64 size) {
    const u8 *bytes = data;
    u64 found = size * 0x9E3779B97F4A7C15u;
    for (; size >= 8; bytes += 8, size -= 8) {
        u64 word;
        memcpy(&word, bytes, 8);
        found = scrambled(found ^ word);
    }
    u64 rest = 0;
    memcpy(&rest, bytes, size);
    return (u32)scrambled(found ^ rest);
}

static void grow_slots(tokens_t *t) {
    u64 room = t->slot_room ? t->slot_room * 2 : 1024;
    u32 *slots = zeroed(room, sizeof(u32));
    for (u64 k = 4; k < t->n; k++) {
        u64 at = t->at[k].hash & (room - 1);
        while (slots[at]) at = (at + 1) & (room - 1);
        slots[at] = (u32)k;
    }
    free(t->slots);
    t->slots = slots;
    t->slot_room = room;
}

static const void *contents(const tokens_t *t, const token_t *token, u64 *size) {
    if (token->tag == T_TUPLE || token->tag == T_DISPLAY) {
        *size = (u64)token->a * sizeof(u32);
        return t->items.at + token->x;
    }
    *size = token->a;
    return t->text.at + token->x;
}

/* Return the token with these facts and contents; make it if it is new. */
static u32 interned(tokens_t *t, token_t made, const void *data, u64 size) {
    int has_contents = made.tag != T_OBJECT && made.tag != T_ADDRESS;
    u32 inner = has_contents ? hash_of(data, size) : mixed(made.x, 0);
    made.hash = mixed(pair(made.a, made.b), pair(inner, made.tag));
    if (t->n * 2 >= t->slot_room) grow_slots(t);
    u64 at = made.hash & (t->slot_room - 1);
    for (; t->slots[at]; at = (at + 1) & (t->slot_room - 1)) {
        const token_t *old = &t->at[t->slots[at]];
        if (old->hash != made.hash || old->tag != made.tag || old->a != made.a || old->b != made.b)
            continue;
        if (!has_contents) {
            if (old->x == made.x) return t->slots[at];
            continue;
        }
        u64 own;
        const void *kept = contents(t, old, &own);
        if (own == size && !memcmp(kept, data, size)) return t->slots[at];
    }
    if (has_contents && (made.tag == T_TUPLE || made.tag == T_DISPLAY)) {
        made.x = t->items.n;
        for (u64 k = 0; k < size / sizeof(u32); k++) push(&t->items, ((const u32 *)data)[k]);
    } else if (has_contents) {
        made.x = t->text.n;
        make_room((void **)&t->text.at, &t->text.room, t->text.n + size, 1);
        if (size) memcpy(t->text.at + t->text.n, data, size);
        t->text.n += size;
    }
    make_room((void **)&t->at, &t->room, t->n + 1, sizeof(token_t));
    t->at[t->n] = made;
    t->slots[at] = (u32)t->n;
    if (t->n + 1 >= INLINE) longjmp(*escape, NO_MEMORY);
    return (u32)t->n++;
}

static u32 text_token(tokens_t *t, u8 tag, const void *data, u64 size) {
    return interned(t, (token_t){.tag = tag, .a = (u32)size}, data, size);
}

static u32 object_token(tokens_t *t, u64 address, u32 type, u32 shape) {
    return interned(t, (token_t){.tag = T_OBJECT, .x = address, .a = type, .b = shape}, NULL, 0);
}

static u32 address_token(tokens_t *t, u64 address) {
    return interned(t, (token_t){.tag = T_ADDRESS, .x = address}, NULL, 0);
}

static u32 tuple_token(tokens_t *t, const u32 *items, u32 count) {
    return interned(t, (token_t){.tag = T_TUPLE, .a = count}, items, (u64)count * sizeof(u32));
}

static u32 display_token(tokens_t *t, u32 kind, const u32 *items, u32 count) {
    token_t made = {.tag = T_DISPLAY, .a = count, .b = kind};
    return interned(t, made, items, (u64)count * sizeof(u32));
}

/* Return the token of an int, in the form of marshal: digits of 15 bits. */
static u32 int_token(tokens_t *t, i64 value) {
    if (value >= -MOST_INLINE && value < MOST_INLINE) return inlined(value);
    u8 data[4 + 2 * 5];
    u64 rest = value < 0 ? -(u64)value : (u64)value;
    i32 digits = 0;
    for (; rest; rest >>= 15, digits++) {
        data[4 + 2 * digits] = rest & 0xFF;
        data[5 + 2 * digits] = rest >> 8 & 0x7F;
    }
    i32 written = value < 0 ? -digits : digits;
    memcpy(data, &written, 4);
    return text_token(t, T_INT, data, 4 + 2 * (u64)digits);
}

/* Return the value of an int token that has at most 60 bits; 0 for another. */
static i64 int_value(const tokens_t *t, u32 token) {
    if (is_inline(token)) return inline_value(token);
    if (tag_of(t, token) != T_INT || t->at[token].a > 4 + 2 * 4) return 0;
    const u8 *data = t->text.at + t->at[token].x;
    i32 digits;
    memcpy(&digits, data, 4);
    i64 value = 0;
    for (i32 k = (digits < 0 ? -digits : digits) - 1; k >= 0; k--)
        value = value << 15 | (data[4 + 2 * k] | (i64)data[5 + 2 * k] << 8);
    return digits < 0 ? -value : value;
}

/* Return the length of a tuple; -1: the token is no tuple. */
static i64 tuple_length(const tokens_t *t, u32 token) {
    u8 tag = tag_of(t, token);
    return tag == T_OBJECT ? 3 : tag == T_TUPLE ? (i64)t->at[token].a : -1;
}

static u32 tuple_item(tokens_t *t, u32 token, u32 at) {
    token_t own = t->at[token];
    if (own.tag == T_TUPLE) return t->items.at[own.x + at];
    return at == 0 ? int_token(t, (i64)own.x) : at == 1 ? int_token(t, own.a) : own.b;
}

/* --- the marshal format --- */

typedef struct {
    u32 token;
    u8 is_int;   /* is it an int of at most 63 bits?  It gets a token when it needs one */
    u8 is_identity;   /* is it an int of 63 to 88 bits?  It gets a token when it needs one, too */
    u32 type;         /* the bits from bit 56 on */
    i64 number;       /* its value, or the lower 56 bits */
    const u8 *start;  /* where the log contains it */
} value_t;

typedef struct {
    const u8 *at, *end;
    tokens_t *tokens;
    value_t *refs;
    u64 n_refs, ref_room;
    column_t parts;  /* of the tuples that are being read */
} reader_t;

static const u64 IDENTITY = ((u64)1 << 56) - 1;

static void bad_log(void) { longjmp(*escape, BAD_LOG); }

static const u8 *take(reader_t *r, u64 size) {
    if ((u64)(r->end - r->at) < size) bad_log();
    const u8 *found = r->at;
    r->at += size;
    return found;
}

static u32 take_u32(reader_t *r) {
    u32 found;
    memcpy(&found, take(r, 4), 4);
    return found;
}

static u32 token_of(reader_t *r, const value_t *value) {
    if (value->is_int) return int_token(r->tokens, value->number);
    if (value->is_identity) {
        u32 digits;
        memcpy(&digits, value->start, 4);
        return text_token(r->tokens, T_INT, value->start, 4 + 2 * (u64)digits);
    }
    return value->token;
}

static value_t whole_token(u32 token) { return (value_t){.token = token}; }
static value_t whole_int(i64 number) { return (value_t){.number = number, .is_int = 1}; }

/* Is it UTF-8 as marshal writes it, with surrogates? */
static int is_utf8(const u8 *data, u64 size) {
    for (u64 at = 0; at < size;) {
        u8 byte = data[at++];
        int more = byte < 0x80 ? 0 : byte < 0xC2 ? -1 : byte < 0xE0 ? 1 : byte < 0xF0 ? 2
            : byte < 0xF5 ? 3 : -1;
        if (more < 0 || (u64)more > size - at) return 0;
        if (more > 1 && ((byte == 0xE0 && data[at] < 0xA0) || (byte == 0xF0 && data[at] < 0x90)
                         || (byte == 0xF4 && data[at] > 0x8F)))
            return 0;
        for (; more; more--)
            if ((data[at++] & 0xC0) != 0x80) return 0;
    }
    return 1;
}

static value_t take_text(reader_t *r, u32 size) {
    const u8 *data = take(r, size);
    if (!is_utf8(data, size)) bad_log();
    return whole_token(text_token(r->tokens, T_STR, data, size));
}

static value_t take_long(reader_t *r) {
    const u8 *start = r->at;
    i32 written = (i32)take_u32(r);
    u32 digits = written < 0 ? 0u - (u32)written : (u32)written;
    const u8 *data = take(r, 2 * (u64)digits);
    for (u32 k = 0; k < digits; k++)
        if (data[2 * k + 1] & 0x80) bad_log();
    if (digits && !(data[2 * digits - 2] | data[2 * digits - 1])) bad_log();  /* a leading zero */
    if (digits > 6)
        return whole_token(text_token(r->tokens, T_INT, start, 4 + 2 * (u64)digits));
    unsigned __int128 value = 0;
    for (u32 k = digits; k-- > 0;) value = value << 15 | (data[2 * k] | (u32)data[2 * k + 1] << 8);
    if (value >> 62 == 0) return whole_int(written < 0 ? -(i64)value : (i64)value);
    if (written < 0 || value >> 88)
        return whole_token(text_token(r->tokens, T_INT, start, 4 + 2 * (u64)digits));
    return (value_t){.is_identity = 1, .number = (i64)((u64)value & IDENTITY),
                     .type = (u32)(value >> 56), .start = start};
}

static value_t take_value(reader_t *r, int depth);

static value_t take_tuple(reader_t *r, u32 count, int depth) {
    if (count > (u64)(r->end - r->at)) bad_log();  /* every part takes a byte */
    u64 first = r->parts.n;
    value_t head[2] = {{0}, {0}};
    for (u32 k = 0; k < count; k++) {
        value_t part = take_value(r, depth + 1);
        if (k < 2) head[k] = part;
        /* An address is no part of a token by itself: it needs no token of its own. */
        push(&r->parts, count == 3 && k == 0 && part.is_int ? NONE : token_of(r, &part));
    }
    u32 *parts = r->parts.at + first;
    u32 token;
    int is_object = count == 3 && head[0].is_int && head[0].number >= 0 && head[1].is_int
        && head[1].number >= 0 && head[1].number <= UINT32_MAX;
    if (is_object) {
        token = object_token(r->tokens, (u64)head[0].number, (u32)head[1].number, parts[2]);
    } else {
        if (count == 3 && head[0].is_int) parts[0] = int_token(r->tokens, head[0].number);
        token = tuple_token(r->tokens, parts, count);
    }
    r->parts.n = first;
    return whole_token(token);
}

/* Return the next value.  A reference counts from its beginning, so its place is taken first. */
static value_t take_value(reader_t *r, int depth) {
    u8 code = *take(r, 1);
    int is_kept = code & 0x80;
    u64 place = r->n_refs;
    if (depth > 1000) bad_log();
    if (is_kept) {
        make_room((void **)&r->refs, &r->ref_room, r->n_refs + 1, sizeof(value_t));
        r->refs[r->n_refs++] = whole_token(NONE);
    }
    tokens_t *t = r->tokens;
    value_t found;
    u32 size;
    switch (code & 0x7F) {
    case 'N': found = whole_token(NONE); break;
    case 'T': found = whole_token(TRUE_); break;
    case 'F': found = whole_token(FALSE_); break;
    case 'i': found = whole_int((i32)take_u32(r)); break;
    case 'l': found = take_long(r); break;
    case 'g': found = whole_token(text_token(t, T_FLOAT, take(r, 8), 8)); break;
    case 'z': case 'Z':
        found = take_text(r, *take(r, 1));
        break;
    case 'a': case 'A': case 'u': case 't':
        found = take_text(r, take_u32(r));
        break;
    case 's':
        size = take_u32(r);
        found = whole_token(text_token(t, T_BYTES, take(r, size), size));
        break;
    case ')': found = take_tuple(r, *take(r, 1), depth); break;
    case '(': found = take_tuple(r, take_u32(r), depth); break;
    case 'r':
        size = take_u32(r);
        if (size >= r->n_refs) bad_log();
        return r->refs[size];
    default: bad_log(); return whole_token(NONE);
    }
    if (is_kept) r->refs[place] = found;
    return found;
}

/* Begin to read a list, and return its length. */
static u32 take_list(reader_t *r) {
    u8 code = *take(r, 1);
    if ((code & 0x7F) != '[') bad_log();
    if (code & 0x80) {
        make_room((void **)&r->refs, &r->ref_room, r->n_refs + 1, sizeof(value_t));
        r->refs[r->n_refs++] = whole_token(NONE);
    }
    u32 count = take_u32(r);
    if (count > (u64)(r->end - r->at)) bad_log();
    return count;
}

static void begin_tokens(tokens_t *t) {
    make_room((void **)&t->at, &t->room, 4, sizeof(token_t));
    for (u32 k = 0; k < 4; k++) t->at[k] = (token_t){.tag = (u8)k};
    t->n = 4;
    t->stop = text_token(t, T_STR, "\0stop", 5);
}

static void free_tokens(tokens_t *t) {
    free(t->at);
    free(t->items.at);
    free(t->text.at);
    free(t->slots);
}

#endif
