/* Which steps wrote what an object holds?

   Objects are identified by address.  Python reuses the address of a freed object, so the history of
   an address starts anew whenever a step makes an object there.  Code that is not recorded can also
   write to objects.  Such a write shows when a step reads a value that no recorded step has
   written.  The value is then attributed to the last step that handed the object to unrecorded
   code, or to the step that made the object. */

#ifndef WHENCE_REPLAY_OBJECTS_H
#define WHENCE_REPLAY_OBJECTS_H

#include "replay_steps.h"
#include "replay_tokens.h"

enum {  /* kinds of types; the same order as in kernel.py */
    K_NONE, K_OBJECT, K_LIST, K_TUPLE, K_SET, K_DICT, K_STR, K_INT, K_FLOAT, K_BYTES, K_ENUM,
    K_FUNCTION, K_BUILTIN, K_CLASS, K_MODULE, K_METHOD, K_EXCEPTION, K_KNOWN
};
enum {  /* what is known about the name of a function or method; the same numbers as in kernel.py */
    N_MUTATING = 1, N_ADDING = 2, N_REWRITING = 4, N_PURE = 8, N_EXISTING = 16, N_APPEND = 32,
    N_GETATTR = 64
};
enum { MAX_WRITERS = 400 };  /* limit on the writers of an object that are searched; guessed */
enum { MAX_ITEMS = 12 };     /* limit on the recorded items of a container, as in the recorder */

static const u32 NEVER_SEEN = 0, CHANGED = FALSE_;  /* in last_seen, instead of a token */

typedef struct { u32 step, before; } link_t;  /* an entry of a list that grows; before: 0 ends it */

typedef struct {
    u64 address;
    u32 begun;      /* the step that made it or had it first; 0: unknown */
    u32 rewritten;  /* the last step that set all elements */
    u32 touched;    /* the last step that handed it to unrecorded code */
    u32 last_seen;  /* the value as last recorded, or NEVER_SEEN, or CHANGED */
    u32 items;      /* the number of its table of items */
    u32 writers;    /* the steps that changed its elements: the last entry, and how many */
    u32 n_writers;
    u32 setters;    /* the steps that set its attributes */
    u32 shifts;     /* the steps that removed or moved elements */
    u32 touches;    /* all steps that handed it to unrecorded code */
} state_t;

typedef struct {
    tokens_t *tokens;
    /* types, by number */
    u32 n_types;
    const u8 *type_kind;  /* K_NONE: unknown */
    const u32 *ancestor_start;
    const u64 *ancestor;
    table_t type_at;      /* address of a type -> its number + 1 */
    /* objects */
    state_t *states;
    u64 n_states, state_room;
    table_t now;          /* address -> number of its state */
    link_t *links;
    u64 n_links, link_room;
    table_t items;        /* table of items, key -> step */
    table_t attributes;   /* state, name -> step */
    u32 n_tables;
    column_t changers;    /* calls that may have changed their arguments */
    column64_t functions, classes;  /* addresses of those that the program defines */
    /* steps */
    const steps_t *run;
} objects_t;

/* --- values --- */

static int is_object(const objects_t *o, u32 token) { return tag_of(o->tokens, token) == T_OBJECT; }
static u64 address_of(const objects_t *o, u32 token) { return o->tokens->at[token].x; }

static u8 kind_of(const objects_t *o, u32 token) {
    if (!is_object(o, token)) return K_NONE;
    u32 type = o->tokens->at[token].a;
    u8 kind = type < o->n_types ? o->type_kind[type] : K_NONE;
    return kind ? kind : K_OBJECT;
}

static int is_container_kind(u8 kind) { return kind >= K_LIST && kind <= K_DICT; }
static int is_changeable(u8 kind) { return kind == K_LIST || kind == K_DICT || kind == K_SET; }

static double float_of(const objects_t *o, u32 token) {
    double found;
    memcpy(&found, o->tokens->text.at + o->tokens->at[token].x, 8);
    return found;
}

/* Are two values the same object, or the same plain value? */
static int is_same(const objects_t *o, u32 a, u32 b) {
    if (a == b) return 1;
    if (is_inline(a) || is_inline(b)) return 0;
    const token_t *one = &o->tokens->at[a], *other = &o->tokens->at[b];
    if (one->tag != other->tag) return 0;
    if (one->tag == T_OBJECT) return one->x == other->x && one->a == other->a;
    return one->tag == T_FLOAT && float_of(o, a) == float_of(o, b);
}

static int is_known(const objects_t *o, u32 token) {
    u8 tag = tag_of(o->tokens, token);
    return tag != T_MISSING && tag != T_DISPLAY && tag != T_OTHER;
}

/* Return the elements of the shape of a container, and their number: -1 if they are not known. */
static i64 elements_of(objects_t *o, u32 token, i64 *length, u32 *elements) {
    u32 shape = o->tokens->at[token].b;
    if (tuple_length(o->tokens, shape) != 2) { *length = -1; return -1; }
    *length = int_value(o->tokens, tuple_item(o->tokens, shape, 0));
    *elements = tuple_item(o->tokens, shape, 1);
    return tuple_length(o->tokens, *elements);
}

/* Set *found to the element at `at` of a container of which all elements are known. */
static int element_at(objects_t *o, u32 token, u32 at, u32 *found) {
    if (tag_of(o->tokens, token) == T_DISPLAY) {
        if (at >= o->tokens->at[token].a) return 0;
        *found = o->tokens->items.at[o->tokens->at[token].x + at];
        return 1;
    }
    u8 kind = kind_of(o, token);
    if (!is_container_kind(kind)) return 0;
    i64 length;
    u32 elements;
    i64 count = elements_of(o, token, &length, &elements);
    if (count < 0 || count != length * (kind == K_DICT ? 2 : 1) || at >= count) return 0;
    *found = tuple_item(o->tokens, elements, at);
    return 1;
}

/* Is a value true?  -1: its class decides, or the value is unknown. */
static int truth_of(objects_t *o, u32 token) {
    if (is_inline(token)) return token != inlined(0);
    const token_t *own = &o->tokens->at[token];
    switch (own->tag) {
    case T_NONE: case T_FALSE: return 0;
    case T_TRUE: case T_INT: case T_TUPLE: return 1;
    case T_FLOAT: return float_of(o, token) != 0;
    case T_STR: case T_BYTES: case T_DISPLAY: return own->a != 0;
    case T_OBJECT: break;
    default: return -1;
    }
    u8 kind = kind_of(o, token);
    if (is_container_kind(kind)) {
        i64 length;
        u32 elements;
        elements_of(o, token, &length, &elements);
        return length < 0 ? -1 : length != 0;
    }
    int is_code = kind == K_FUNCTION || kind == K_METHOD || kind == K_BUILTIN || kind == K_CLASS;
    return is_code || kind == K_MODULE ? 1 : -1;
}

/* --- states --- */

static u32 begin_state(objects_t *o, u64 address, u32 step) {
    make_room((void **)&o->states, &o->state_room, o->n_states + 1, sizeof(state_t));
    u32 number = (u32)o->n_states++;
    o->states[number] = (state_t){.address = address, .begun = step, .items = ++o->n_tables};
    set_entry(&o->now, address, number);
    return number;
}

/* Return the number of the state of an object; 0: it is no object, or has no state yet. */
static u32 known_state(const objects_t *o, u32 token) {
    return is_object(o, token) ? entry(&o->now, address_of(o, token)) : 0;
}

static u32 state_number(objects_t *o, u32 token) {
    if (!is_object(o, token)) return 0;
    u32 found = entry(&o->now, address_of(o, token));
    return found ? found : begin_state(o, address_of(o, token), 0);
}

static void add_link(objects_t *o, u32 *last, u32 step) {
    make_room((void **)&o->links, &o->link_room, o->n_links + 1, sizeof(link_t));
    o->links[o->n_links] = (link_t){step, *last};
    *last = (u32)o->n_links++;
}

static void add_writer(objects_t *o, state_t *state, u32 step) {
    add_link(o, &state->writers, step);
    state->n_writers++;
}

/* Return an object as it is now, without a shape if that is unknown. */
static u32 as_now(objects_t *o, u32 token) {
    if (!is_object(o, token) || !is_changeable(kind_of(o, token))) return token;
    u32 state = known_state(o, token);
    if (!state || o->states[state].last_seen == NEVER_SEEN) return token;
    if (o->states[state].last_seen != CHANGED) return o->states[state].last_seen;
    return object_token(o->tokens, address_of(o, token), o->tokens->at[token].a, NONE);
}

static void note_seen(objects_t *o, u32 token, u32 step) {
    if (!is_object(o, token)) return;
    u32 state = known_state(o, token);
    if (!state) state = begin_state(o, address_of(o, token), step);
    o->states[state].last_seen = token;
}

static void note_made(objects_t *o, u32 token, u32 step) {
    if (is_object(o, token)) begin_state(o, address_of(o, token), step);
}

static void note_constructed(objects_t *o, u32 token, u32 call) {
    if (!is_object(o, token)) return;
    u32 state = known_state(o, token);
    if (!state || o->states[state].begun != call) begin_state(o, address_of(o, token), call);
}

/* Note that unrecorded code returned an object: if it must be new, its history starts anew. */
static void note_result(objects_t *o, u32 token, u32 step, u32 name) {
    u32 state = known_state(o, token);
    if (!state || !is_container_kind(kind_of(o, token))) return;
    u32 seen = o->states[state].last_seen;
    int begins;
    if (seen == NEVER_SEEN || seen == CHANGED) {
        begins = !(name & N_EXISTING);
    } else {
        const token_t *before = &o->tokens->at[seen], *after = &o->tokens->at[token];
        begins = before->a != after->a || before->b != after->b;
    }
    if (begins) begin_state(o, address_of(o, token), step);
}

/* --- writing --- */

/* Return the token that stands for the key of an item. */
static u32 key_of(objects_t *o, u32 holder, u32 key) {
    if (is_inline(key) && key < inlined(0) && kind_of(o, holder) == K_LIST) {
        i64 length;
        u32 elements;
        elements_of(o, holder, &length, &elements);
        return int_token(o->tokens, inline_value(key) + (length > 0 ? length : 0));
    }
    u8 kind = kind_of(o, key);
    if (kind && kind != K_TUPLE && kind != K_STR && kind != K_INT && kind != K_ENUM)
        return address_token(o->tokens, address_of(o, key));
    if (tag_of(o->tokens, key) == T_FLOAT && float_of(o, key) == 0) {
        double zero = 0;
        return text_token(o->tokens, T_FLOAT, &zero, 8);  /* -0.0 is the same key */
    }
    return key;
}

static void set_attribute(objects_t *o, u32 holder, u32 name, u32 step) {
    u32 number = state_number(o, holder);
    if (!number) return;
    set_entry(&o->attributes, pair(number, name), step);
    add_link(o, &o->states[number].setters, step);
}

static void note_item(objects_t *o, state_t *state, u32 holder, u32 key, u32 step) {
    set_entry(&o->items, pair(state->items, key_of(o, holder, key)), step);
    add_writer(o, state, step);
    state->last_seen = CHANGED;
}

static void set_item(objects_t *o, u32 holder, u32 key, u32 step) {
    u32 number = state_number(o, holder);
    if (number) note_item(o, &o->states[number], holder, key, step);
}

static void clear_items(objects_t *o, state_t *state) { state->items = ++o->n_tables; }

static void delete_item(objects_t *o, u32 holder, u32 key, u32 step) {
    u32 number = state_number(o, holder);
    if (!number) return;
    state_t *state = &o->states[number];
    add_link(o, &state->shifts, step);
    clear_items(o, state);
    note_item(o, state, holder, key, step);
}

static void note_changed(objects_t *o, u32 holder, u32 step) {
    u32 number = state_number(o, holder);
    if (!number) return;
    o->states[number].last_seen = CHANGED;
    add_writer(o, &o->states[number], step);
}

static void add_element(objects_t *o, u32 holder, u32 step) {
    u32 number = state_number(o, holder);
    if (number) add_writer(o, &o->states[number], step);
}

/* Return a list as it is after an append, or CHANGED. */
static u32 appended(objects_t *o, u32 seen, const u32 *arguments, u32 count) {
    if (seen == NEVER_SEEN || seen == CHANGED || kind_of(o, seen) != K_LIST || count != 1)
        return CHANGED;
    i64 length;
    u32 elements, parts[MAX_ITEMS];
    i64 known = elements_of(o, seen, &length, &elements);
    if (length < 0) return CHANGED;
    if (known == length && known < MAX_ITEMS) {
        for (u32 k = 0; k < known; k++) parts[k] = tuple_item(o->tokens, elements, k);
        parts[known] = arguments[0];
        elements = tuple_token(o->tokens, parts, (u32)known + 1);
    }
    u32 shape[2] = {int_token(o->tokens, length + 1), elements};
    token_t own = o->tokens->at[seen];
    return object_token(o->tokens, own.x, own.a, tuple_token(o->tokens, shape, 2));
}

static void note_touched(objects_t *o, state_t *state, u32 step) {
    push(&o->changers, step);
    if (state->touched != step) add_link(o, &state->touches, step);
    state->touched = step;
}

static void touch(objects_t *o, u32 token, u32 step) {
    u8 kind = kind_of(o, token);
    if (!is_changeable(kind) && kind != K_OBJECT) return;
    u32 number = state_number(o, token);
    note_touched(o, &o->states[number], step);
    o->states[number].last_seen = CHANGED;
}

/* Note that unrecorded code ran a method, which may have changed its object. */
static void call_method(
    objects_t *o, u32 receiver, u32 name, const u32 *arguments, u32 count, u32 step
) {
    u32 number = state_number(o, receiver);
    u8 kind = kind_of(o, receiver);
    if (number && name & N_MUTATING) {
        push(&o->changers, step);
        state_t *state = &o->states[number];
        add_writer(o, state, step);
        state->last_seen =
            name & N_APPEND ? appended(o, state->last_seen, arguments, count) : CHANGED;
        if (name & N_REWRITING) state->rewritten = step;
        if (!(name & N_ADDING)) {
            clear_items(o, state);
            add_link(o, &state->shifts, step);
        }
    } else if (number && (kind == K_OBJECT || kind == K_EXCEPTION)) {
        note_touched(o, &o->states[number], step);
    }
    for (u32 k = 0; k < count; k++) touch(o, arguments[k], step);
}

/* --- reading --- */

/* May a step have this value?  Yes, if either value is unknown. */
static int may_have_value(const objects_t *o, u32 step, u32 value) {
    u32 own = o->run->values.at[step];
    return !is_known(o, own) || !is_known(o, value) || is_same(o, own, value);
}

/* Return the step that set the attribute that was read as `value`; 0: unknown. */
static u32 attribute_setter(objects_t *o, u32 holder, u32 name, u32 value) {
    u32 number = state_number(o, holder);
    if (!number) return 0;
    u32 step = entry(&o->attributes, pair(number, name));
    if (step && may_have_value(o, step, value)) return step;
    u32 type = o->tokens->at[holder].a;
    if (type >= o->n_types || !o->type_kind[type]) return 0;
    if (o->type_kind[type] == K_CLASS) {  /* `holder` is itself a class: its own bases count */
        u32 own = entry(&o->type_at, address_of(o, holder));
        if (own) type = own - 1;
    }
    for (u32 k = o->ancestor_start[type]; k < o->ancestor_start[type + 1]; k++) {
        u32 inherited = entry(&o->now, o->ancestor[k]);
        step = inherited ? entry(&o->attributes, pair(inherited, name)) : 0;
        if (step && may_have_value(o, step, value)) return step;
    }
    return 0;
}

/* Return the last step that may have set all of an object. */
static u32 last_owner(objects_t *o, u32 token) {
    u32 number = state_number(o, token);
    if (!number) return 0;
    const state_t *state = &o->states[number];
    return state->rewritten ? state->rewritten : state->touched ? state->touched : state->begun;
}

/* Return the last step that added this value: as its own value, or as an operand. */
static u32 adder_of(const objects_t *o, u32 number, u32 value) {
    if (!number) return 0;
    u32 at = o->states[number].writers;
    const u32 *values = o->run->values.at;
    for (u32 left = MAX_WRITERS; at && left; left--, at = o->links[at].before) {
        u32 step = o->links[at].step;
        if (is_same(o, values[step], value)) return step;
        u32 count;
        const u32 *operands = operands_of(o->run, step, &count);
        for (u32 k = 0; k < count; k++)
            if (is_same(o, values[operands[k]], value)) return step;
    }
    return 0;
}

/* Return the step that set the item that was read as `value`; 0: unknown. */
static u32 item_setter(objects_t *o, u32 holder, u32 key, u32 value) {
    u32 number = state_number(o, holder);
    if (!number) return 0;
    u32 step = entry(&o->items, pair(o->states[number].items, key_of(o, holder, key)));
    if (step && may_have_value(o, step, value)) return step;
    return adder_of(o, number, value);
}

static void free_objects(objects_t *o) {
    free(o->type_at.at);
    free(o->states);
    free(o->now.at);
    free(o->links);
    free(o->items.at);
    free(o->attributes.at);
    free(o->changers.at);
    free(o->functions.at);
    free(o->classes.at);
}

#endif
