/* Which operations did the threads of a Python program execute, one after the other?

   The log contains the events of all threads in order, and says where another thread goes on.
   Silent operations ran between them; which ones follows from the program.  Replaying walks the
   events along the blocks of the program, activation by activation.  Each executed operation
   becomes a step, and what is known about it becomes an entry of each column.

   1. wh_read reads a log into events, and its records of modules and types (replay_tokens.h).
   2. Python describes the program and the types; wh_replay walks the events.
   3. What objects hold, and who wrote it, is in replay_objects.h.

   An activation lives as long as something refers to it: the stack, its frame, its function as the
   latest activation, a function object that it defined, or an activation inside of it. */

#include "replay_objects.h"

enum {  /* records - 2**31 */
    MODULE = 0, END = 1, TYPE = 2, PARAM = 3, FRAME = 4, ENTER = 5,
    THREAD = 6, STARTS = 7, STARTED = 8,
};
static const i64 RECORDS = (i64)1 << 31;
enum { NO_FRAME, WITH_FRAME, WITH_PARAMETERS };  /* what an event has besides its value */

enum { DIRECT = 1, UNWOUND = 2 };                              /* flags of activations */
enum { MAX_BLOCKS = 400 };  /* limit on the blocks searched between two events; guessed */

typedef struct { u32 function, parent, call, first, last, ret, flags, depth; } row_t;

typedef struct elements { u32 op; column_t steps; struct elements *next; } elements_t;

typedef struct running {
    u32 number, function, call, references;
    u64 frame;
    struct running *enclosing;
    u32 *registers, *branches, *variables;  /* 0: none */
    u32 *order;           /* of the body of a class: its variables in the order of their making */
    u32 n_order;
    elements_t *elements;  /* of unfinished comprehensions */
    const u32 *parameters;
    u32 n_parameters;
    i32 stretch;           /* the last executed stretch; -1: none yet */
    i64 last_instance;     /* -1: none yet */
    u32 pending;           /* the step that is running other code */
    u32 result, result_value;
    u32 last_branch, branch_before;  /* the last two branches; 0: none */
    column_t results;
    u32 raised, constructed_by, unwinding;
    u32 thread;            /* on whose stack it was last */
    u8 has_run_code, has_result, is_on_stack;
} running_t;

/* A thread that does not run now; the running one has these fields in the kernel. */
typedef struct {
    u64 ident;
    u32 number;
    running_t **stack;
    u64 depth, stack_room;
    u32 *on_stack;
} waiting_t;

/* A record of THREAD, STARTS or STARTED.  After STARTS: the call, and who started whom. */
typedef struct { u64 at, ident, by; u32 record, parent, call; } switch_t;

typedef struct { u32 first, count; i32 then; } path_t;  /* in `paths`; then: the next logged one */

typedef struct kernel {
    tokens_t tokens;
    objects_t objects;
    program_t program;
    /* The log: */
    column_t records, record_values;          /* records of modules and types, END */
    column_t event_ops, event_values;         /* events */
    column_t framed, frame_params;            /* events with a frame; where its parameters start */
    column64_t frames_of;
    bytes_t framing;
    column_t params;
    switch_t *switches;                       /* each before the event that it precedes */
    u64 n_switches, switch_room;
    /* The run: */
    steps_t steps;
    column_t instmap;             /* as in whence.trace.columns */
    column_t read_step, read;
    column_t prints, left, left_value, handed, handed_step;
    column_t raised_step, raised_by;
    row_t *rows;
    u64 n_rows, row_room;
    table_t raised;
    /* What is running: */
    running_t **stack;
    u64 depth, stack_room;
    table_t frames, definers, bodies, definitions;  /* activations by number in `kept` */
    running_t **kept;
    u64 n_kept, kept_room;
    column_t unused;
    running_t **latest;
    u32 *on_stack;       /* for each function */
    waiting_t *waiting;  /* all threads but the running one */
    u64 n_waiting, waiting_room;
    u64 thread;          /* the running one; 0: no thread was named yet */
    u32 thread_number;
    u64 n_done;          /* switches that were replayed */
    u32 **globals;       /* for each module */
    table_t global_slot; /* module, name -> slot + 1 */
    table_t module_of;   /* name -> module + 1 */
    table_t path_of, next_of;
    path_t *found;
    u64 n_found, found_room;
    column_t paths, seen, work, nodes;
    u32 stamp;
} kernel_t;

/* --- reading a log --- */

static void free_reader(reader_t *r) {
    free(r->refs);
    free(r->parts.at);
}

static void read_chunk(kernel_t *k, reader_t *r, int with_events) {
    u8 code = *take(r, 1);
    if ((code & 0x7F) != ')' || *take(r, 1) != 2) bad_log();
    r->n_refs = 0;
    if (code & 0x80) {
        make_room((void **)&r->refs, &r->ref_room, 1, sizeof(value_t));
        r->refs[r->n_refs++] = whole_token(NONE);
    }
    u32 count = take_list(r);
    i64 *numbers = resized(NULL, count * sizeof(i64));
    for (u32 at = 0; at < count; at++) {
        value_t number = take_value(r, 0);
        if (!number.is_int) { free(numbers); bad_log(); }
        numbers[at] = number.number;
    }
    if (take_list(r) != count) { free(numbers); bad_log(); }
    u64 frame = 0;
    int framing = NO_FRAME;
    u64 first_param = k->params.n;
    for (u32 at = 0; at < count; at++) {
        i64 op = numbers[at];
        value_t value = take_value(r, 0);
        u32 token;
        if (op < 0) {
            op = ~op;
            u64 identity = (u64)value.number & IDENTITY;
            u32 type = value.is_int ? (u32)((u64)value.number >> 56) : value.type;
            token = object_token(&k->tokens, identity, type, NONE);
        } else if (op == RECORDS + FRAME || op == RECORDS + ENTER) {
            frame = (u64)value.number;
            framing = op == RECORDS + ENTER ? WITH_PARAMETERS : WITH_FRAME;
            continue;
        } else if (op >= RECORDS + THREAD && op <= RECORDS + STARTED) {
            make_room((void **)&k->switches, &k->switch_room, k->n_switches + 1, sizeof(switch_t));
            k->switches[k->n_switches++] = (switch_t){
                .at = k->event_ops.n, .ident = (u64)value.number, .record = (u32)(op - RECORDS)};
            continue;
        } else {
            token = token_of(r, &value);
        }
        if (op == RECORDS + PARAM) {
            push(&k->params, token);
        } else if (op >= RECORDS) {
            push(&k->records, (u32)(op - RECORDS));
            push(&k->record_values, token);
        } else if (with_events) {
            if (framing) {
                push(&k->framed, (u32)k->event_ops.n);
                push64(&k->frames_of, frame);
                push(&k->frame_params, (u32)first_param);
                make_room((void **)&k->framing.at, &k->framing.room, k->framing.n + 1, 1);
                k->framing.at[k->framing.n++] = (u8)framing;
                if (framing == WITH_PARAMETERS) first_param = k->params.n;
            }
            push(&k->event_ops, (u32)op);
            push(&k->event_values, token);
            framing = NO_FRAME;
        } else {
            if (framing == WITH_PARAMETERS) first_param = k->params.n = 0;
            framing = NO_FRAME;
        }
    }
    free(numbers);
}

/* Read the complete chunks of a log.  Returns how many bytes they have, or what went wrong. */
EXPORT i64 wh_read(kernel_t *k, const u8 *data, u64 size, int with_events) {
    jmp_buf here;
    reader_t reader = {.tokens = &k->tokens};
    reader_t *volatile r = &reader;
    volatile u64 at = 0;
    escape = &here;
    int failed = setjmp(here);
    if (failed) {
        free_reader(r);
        return failed;
    }
    while (size - at >= 8) {
        u64 length;
        memcpy(&length, data + at, 8);
        if (length > size - at - 8) break;
        reader.at = data + at + 8;
        reader.end = reader.at + length;
        read_chunk(k, &reader, with_events);
        at += 8 + length;
    }
    free_reader(r);
    return (i64)at;
}

EXPORT kernel_t *wh_new(void) {
    jmp_buf here;
    kernel_t *volatile k = calloc(1, sizeof(kernel_t));
    escape = &here;
    if (!k || setjmp(here)) return NULL;
    begin_tokens((tokens_t *)&k->tokens);
    return k;
}

/* Write the tokens of the values of a list in marshal format to `found`. */
EXPORT int wh_tokens(kernel_t *k, const u8 *data, u64 size, u32 *found) {
    jmp_buf here;
    reader_t reader = {.tokens = &k->tokens, .at = data, .end = data + size};
    reader_t *volatile r = &reader;
    escape = &here;
    int failed = setjmp(here);
    if (!failed) {
        u32 count = take_list(r);
        for (u32 at = 0; at < count; at++) {
            value_t value = take_value(r, 0);
            found[at] = token_of(r, &value);
        }
    }
    free_reader(r);
    return failed;
}

/* Return the token of a container of constants (by its operation), or of another constant. */
EXPORT i64 wh_display(kernel_t *k, u32 kind, const u32 *items, u32 count) {
    jmp_buf here;
    escape = &here;
    int failed = setjmp(here);
    return failed ? failed : (i64)display_token(&k->tokens, kind, items, count);
}

EXPORT i64 wh_other(kernel_t *k, const u8 *text, u64 size) {
    jmp_buf here;
    escape = &here;
    int failed = setjmp(here);
    return failed ? failed : (i64)text_token(&k->tokens, T_OTHER, text, size);
}

/* --- activations --- */

static void release(kernel_t *k, running_t *a);

static void free_elements(running_t *a) {
    for (elements_t *one = a->elements, *next; one; one = next) {
        next = one->next;
        free(one->steps.at);
        free(one);
    }
    a->elements = NULL;
}

static void release(kernel_t *k, running_t *a) {
    while (a && --a->references == 0) {
        running_t *outer = a->enclosing;
        free_elements(a);
        free(a->results.at);
        free(a->registers);
        free(a);
        a = outer;
    }
}

static running_t *kept(running_t *a) {
    if (a) a->references++;
    return a;
}

/* Set an activation in a table; the table keeps it alive. */
static void keep_in(kernel_t *k, table_t *table, u64 key, running_t *a) {
    entry_t *found = entry_for(table, key);
    kept(a);
    if (found->value) {
        release(k, k->kept[found->value]);
    } else if (k->unused.n) {
        found->value = k->unused.at[--k->unused.n];
    } else {
        make_room((void **)&k->kept, &k->kept_room, k->n_kept + 1, sizeof(running_t *));
        found->value = (u32)k->n_kept++;
    }
    k->kept[found->value] = a;
}

static running_t *kept_in(const kernel_t *k, const table_t *table, u64 key) {
    u32 found = entry(table, key);
    return found ? k->kept[found] : NULL;
}

static void forget(kernel_t *k, table_t *table, u64 key) {
    u32 found = entry(table, key);
    if (!found) return;
    release(k, k->kept[found]);
    k->kept[found] = NULL;
    push(&k->unused, found);
    set_entry(table, key, 0);
}

static running_t *top_of(const kernel_t *k) { return k->depth ? k->stack[k->depth - 1] : NULL; }

static void push_running(kernel_t *k, running_t *a) {
    make_room((void **)&k->stack, &k->stack_room, k->depth + 1, sizeof(running_t *));
    k->stack[k->depth++] = kept(a);
    a->is_on_stack = 1;
    a->thread = k->thread_number;
    k->on_stack[a->function]++;
}

/* Take the top activation off the stack; the caller owns a reference to it. */
static running_t *pop_running(kernel_t *k) {
    running_t *a = k->stack[--k->depth];
    a->is_on_stack = 0;
    k->on_stack[a->function]--;
    return a;
}

static void close_running(kernel_t *k, const running_t *a, u32 flags) {
    row_t *row = &k->rows[a->number];
    row->last = a->last_instance > (i64)row->first ? (u32)a->last_instance : row->first;
    row->flags |= flags;
}

static void pop_closed(kernel_t *k, u32 flags) {
    running_t *a = pop_running(k);
    close_running(k, a, flags);
    release(k, a);
}

/* --- operations and steps --- */

static int is_silent(const kernel_t *k, u32 stretch) {
    return !(k->program.op_flags[last_op(&k->program, stretch)] & F_LOGGED);
}

/* Return the last step of an operation in an activation; 0: none. */
static u32 register_of(const kernel_t *k, const running_t *a, i32 op) {
    u32 at = (u32)op - k->program.function_first_op[a->function];
    return at < k->program.function_ops[a->function] ? a->registers[at] : 0;
}

/* Return the value that a use of an operation stands for. */
static u32 used(const kernel_t *k, const running_t *a, u32 op, u32 at) {
    u32 place = k->program.use_start[op] + at;
    i32 use = k->program.use[place];
    if (use == NO_USE) return MISSING;
    if (use == CONSTANT) return k->program.use_constant[place];
    return k->steps.values.at[register_of(k, a, use)];
}

static void add_read(kernel_t *k, u32 step, u32 read) {
    push(&k->read_step, step);
    push(&k->read, read);
}

static u32 last_step(const kernel_t *k, const running_t *a) {
    return a->stretch < 0 ? 0 : register_of(k, a, (i32)last_op(&k->program, (u32)a->stretch));
}

/* --- variables --- */

static running_t *owner_of(const kernel_t *k, running_t *a, u32 function) {
    running_t *scope = a;
    while (scope && scope->function != function) scope = scope->enclosing;
    return scope;
}

static u32 variable(kernel_t *k, running_t *a, u32 op) {
    if (k->program.op_slot[op] < 0) return 0;
    u32 owner = (u32)k->program.op_extra[op], slot = (u32)k->program.op_slot[op];
    running_t *scope = owner_of(k, a, owner);
    if (!scope && k->program.function_flags[owner] & U_MODULE)
        return k->globals[k->program.function_module[owner]][slot];
    if (!scope) scope = k->latest[owner];
    return scope ? scope->variables[slot] : 0;
}

static void set_variable(kernel_t *k, running_t *a, u32 op, u32 step) {
    if (k->program.op_slot[op] < 0) return;
    u32 owner = (u32)k->program.op_extra[op], slot = (u32)k->program.op_slot[op];
    running_t *scope = owner_of(k, a, owner);
    if (!scope && k->program.function_flags[owner] & U_MODULE) {
        k->globals[k->program.function_module[owner]][slot] = step;
        return;
    }
    if (!scope) scope = k->latest[owner];
    if (!scope) return;
    if (scope->order && !scope->variables[slot]) scope->order[scope->n_order++] = slot;
    scope->variables[slot] = step;
}

/* Return the step that set a variable of a module last; 0: unknown. */
static u32 module_variable(const kernel_t *k, u32 module, u32 name) {
    u32 slot = entry(&k->global_slot, pair(module, name));
    return slot ? k->globals[module][slot - 1] : 0;
}

static running_t *enclosing_of(kernel_t *k, u32 function, const running_t *caller, u32 call) {
    i32 parent = k->program.function_parent[function];
    if (parent < 0) return NULL;
    if (caller && call) {
        u32 op = last_op(&k->program, k->steps.stretch.at[instance_of(&k->steps, call)]);
        u32 callee = use_count(&k->program, op) ? used(k, caller, op, 0) : MISSING;
        running_t *definer =
            is_object(&k->objects, callee)
                ? kept_in(k, &k->definers, address_of(&k->objects, callee)) : NULL;
        if (definer && definer->function == (u32)parent) return definer;
    }
    if (k->on_stack[parent])
        for (u64 at = k->depth; at-- > 0;)
            if (k->stack[at]->function == (u32)parent) return k->stack[at];
    return k->latest[parent];
}

/* Does the current call of `caller` run a nested function that it does not name? */
static int is_handed(const kernel_t *k, u32 function, const running_t *caller) {
    const program_t *p = &k->program;
    if (caller->stretch < 0 || !(p->function_flags[function] & U_NESTED)) return 0;
    u32 op = last_op(&k->program, (u32)caller->stretch);
    if (p->op_code[op] != O_CALL || !use_count(&k->program, op)) return 0;
    i32 callee = use_of(&k->program, op, 0);
    if (callee < 0 || p->op_name[callee] == p->function_last_name[function]) return 0;
    u32 called = used(k, caller, op, 0);
    u64 address = is_object(&k->objects, called) ? address_of(&k->objects, called) : 0;
    return entry(&k->bodies, address) != function + 1;
}

static void define(kernel_t *k, running_t *a, u32 op, u32 step, u64 address) {
    keep_in(k, &k->definers, address, a);
    i32 body = k->program.op_extra[op];
    if (body >= 0) {
        set_entry(&k->definitions, (u32)body, step);
        set_entry(&k->bodies, address, (u32)body + 1);
    }
}

/* --- logged operations --- */

/* Return the step that set an attribute of an object or a module; 0: unknown. */
static u32 setter_of(kernel_t *k, u32 holder, u32 name, u32 value) {
    u32 setter = attribute_setter(&k->objects, holder, name, value);
    if (setter || kind_of(&k->objects, holder) != K_MODULE) return setter;
    u32 module = entry(&k->module_of, k->tokens.at[holder].b);
    return module ? module_variable(k, module - 1, name) : 0;
}

/* Return the operand of `writer` that became the element at `key`; 0: none is known. */
static u32 element_operand(kernel_t *k, u32 holder, u32 key, u32 writer) {
    const program_t *p = &k->program;
    u32 op = last_op(&k->program, k->steps.stretch.at[instance_of(&k->steps, writer)]);
    u32 count;
    const u32 *operands = operands_of(&k->steps, writer, &count);
    u8 opcode = p->op_code[op];
    if (opcode == O_CALL) {  /* `xs.append(x)` */
        u8 kind = kind_of(&k->objects, holder);
        return count == 2 && (kind == K_LIST || kind == K_SET) ? operands[1] : 0;
    }
    if ((opcode != O_LIST && opcode != O_TUPLE && opcode != O_DICT) || p->op_flags[op] & F_EXTRA)
        return 0;
    if (opcode == O_DICT) {
        for (u32 at = 0; 2 * at < use_count(&k->program, op); at++) {
            u32 place = p->use_start[op] + 2 * at;
            u32 constant = p->use[place] == CONSTANT ? p->use_constant[place] : MISSING;
            if (is_same(&k->objects, constant, key))
                return 2 * at + 1 < count ? operands[2 * at + 1] : 0;
        }
        return 0;
    }
    if (!is_inline(key)) return 0;
    i64 at = inline_value(key);
    if (at < 0) at += count;
    return at >= 0 && at < count ? operands[at] : 0;
}

static void complete_attr(kernel_t *k, running_t *a, u32 op, u32 step, u32 value) {
    if (source_of(&k->steps, step)) return;
    u32 holder = used(k, a, op, 0);
    u32 setter = setter_of(k, holder, k->program.op_name[op], value);
    if (setter) {
        set_source(&k->steps, step, setter);
    } else {
        u32 owner = last_owner(&k->objects, holder);
        if (owner) add_read(k, step, owner);
    }
}

static void complete_item(kernel_t *k, running_t *a, u32 op, u32 step, u32 value) {
    if (source_of(&k->steps, step)) return;
    u32 holder = used(k, a, op, 0), key = used(k, a, op, 1);
    u32 setter = item_setter(&k->objects, holder, key, value);
    u32 writer = setter ? setter : last_owner(&k->objects, holder);
    if (!writer) return;
    u32 source = element_operand(k, holder, key, writer);
    if (!source) source = setter;
    if (source) set_source(&k->steps, step, source);
    else add_read(k, step, writer);
}

static void complete_set_attr(kernel_t *k, running_t *a, u32 op, u32 step) {
    u32 holder = used(k, a, op, 0);
    if (use_count(&k->program, op) > 1) k->steps.values.at[step] = used(k, a, op, 1);
    set_attribute(&k->objects, holder, k->program.op_name[op], step);
}

static void complete_set_item(kernel_t *k, running_t *a, u32 op, u32 step) {
    u32 holder = used(k, a, op, 0), key = used(k, a, op, 1);
    k->steps.values.at[step] = used(k, a, op, 2);
    set_item(&k->objects, holder, key, step);
}

/* Note which step set `a.b` or `a[b]` before `a.b += c` or `a[b] += c` reads it. */
static void read_target(kernel_t *k, running_t *a, u32 op, u32 step) {
    u32 holder = used(k, a, op, 0), name = k->program.op_extra_name[op];
    u32 setter = name ? attribute_setter(&k->objects, holder, name, MISSING)
                      : item_setter(&k->objects, holder, used(k, a, op, 1), MISSING);
    if (!setter) setter = last_owner(&k->objects, holder);
    if (setter) add_read(k, step, setter);
}

static void complete_inplace(kernel_t *k, running_t *a, u32 op, u32 step, u32 value) {
    if (!(k->program.op_flags[op] & F_EXTRA)) {
        note_changed(&k->objects, value, step);  /* `xs += [1]` changes the list itself */
        return;
    }
    k->steps.values.at[step] = MISSING;
    u32 holder = used(k, a, op, 0), name = k->program.op_extra_name[op];
    if (name) set_attribute(&k->objects, holder, name, step);
    else set_item(&k->objects, holder, used(k, a, op, 1), step);
}

/* Return the state of a function or class if code that a definition ran, as a decorator or a
   metaclass, set attributes of it; 0: it did not. */
static u32 state_before(const kernel_t *k, const running_t *a, u32 value) {
    return a->has_run_code ? known_state(&k->objects, value) : 0;
}

/* Set the attributes that were set of `state` since `step` for the object's new state, too. */
static void keep_attributes(kernel_t *k, u32 value, u32 state, u32 step) {
    objects_t *o = &k->objects;
    column_t setters = {0};
    u32 link = state ? o->states[state].setters : 0;
    for (; link && o->links[link].step > step; link = o->links[link].before)
        push(&setters, o->links[link].step);
    for (u64 at = setters.n; at-- > 0;) {
        u32 op = op_of(&k->steps, setters.at[at]);
        u32 name = k->program.op_code[op] == O_INPLACE ? k->program.op_extra_name[op]
                                                       : k->program.op_name[op];
        set_attribute(o, value, name, setters.at[at]);
    }
    free(setters.at);
}

static void complete_function(kernel_t *k, running_t *a, u32 op, u32 step, u32 value) {
    if (!is_object(&k->objects, value)) return;
    u32 before = state_before(k, a, value);
    note_made(&k->objects, value, step);
    keep_attributes(k, value, before, step);
    push64(&k->objects.functions, address_of(&k->objects, value));
    define(k, a, op, step, address_of(&k->objects, value));
}

static void complete_class(kernel_t *k, running_t *a, u32 op, u32 step, u32 value) {
    if (!is_object(&k->objects, value)) return;
    u32 before = state_before(k, a, value);
    note_made(&k->objects, value, step);
    push64(&k->objects.classes, address_of(&k->objects, value));
    define(k, a, op, step, address_of(&k->objects, value));
    i32 function = k->program.op_extra[op];
    running_t *body = function < 0 ? NULL : k->latest[function];
    for (u32 at = 0; body && body->order && at < body->n_order; at++) {
        u32 slot = body->order[at];
        u32 name = k->program.slot_name[k->program.slot_start[function] + slot];
        set_attribute(&k->objects, value, name, body->variables[slot]);
    }
    keep_attributes(k, value, before, step);
}

static elements_t *elements_at(const running_t *a, u32 op) {
    elements_t *one = a->elements;
    while (one && one->op != op) one = one->next;
    return one;
}

static void complete_comprehension(kernel_t *k, running_t *a, u32 op, u32 step, u32 value) {
    note_made(&k->objects, value, step);
    for (u32 at = 0; at < use_count(&k->program, op); at++) {
        i32 use = use_of(&k->program, op, at);
        if (use < 0) continue;
        u32 last = register_of(k, a, use);
        elements_t *own = elements_at(a, (u32)use);
        if (!own) {
            if (last) add_element(&k->objects, value, last);
            continue;
        }
        for (u64 n = 0; n < own->steps.n; n++) add_element(&k->objects, value, own->steps.at[n]);
        elements_t **place = &a->elements;
        while (*place != own) place = &(*place)->next;
        *place = own->next;
        free(own->steps.at);
        free(own);
    }
}

static void complete_next(kernel_t *k, running_t *a, u32 op, u32 step, u32 value) {
    const program_t *p = &k->program;
    if (source_of(&k->steps, step) || value == k->tokens.stop) return;
    u32 holder = used(k, a, op, 0);
    u32 adder = adder_of(&k->objects, state_number(&k->objects, holder), value);
    if (adder) set_source(&k->steps, step, adder);
    /* If the loop is part of a comprehension, collect the elements of that. */
    u32 function = p->op_function[op];
    for (u32 at = p->element_start[function]; at < p->element_start[function + 1]; at++) {
        if (elements_at(a, p->element[at])) continue;
        elements_t *one = zeroed(1, sizeof(elements_t));
        *one = (elements_t){.op = p->element[at], .next = a->elements};
        a->elements = one;
    }
}

enum { MAX_COPIES = 16 };  /* limit on the copies of a method that are followed back; guessed */

static u32 first_operand(const kernel_t *k, u32 step) {
    u32 count;
    const u32 *operands = operands_of(&k->steps, step, &count);
    return count ? operands[0] : 0;
}

/* Return the step that read a method of a container, as in `append = found.append`, if `step` has
   that method from a variable; 0: it has not. */
static u32 kept_method(const kernel_t *k, u32 step) {
    for (u32 copies = 0; step && copies < MAX_COPIES; copies++) {
        u8 opcode = k->program.op_code[op_of(&k->steps, step)];
        u32 source = source_of(&k->steps, step), holder = first_operand(k, step);
        if (opcode == O_STORE) source = holder;
        else if (opcode == O_ATTR && !source)
            return holder && is_container_kind(kind_of(&k->objects, k->steps.values.at[holder])) ? step : 0;
        step = source;
    }
    return 0;
}

/* Did a call run code of the program only as a callback of code that is not recorded, as a heap
   compares its items?  Then that code did not return what the call did.  `holder` is the module that
   has the function, or the function itself. */
static int is_calling_back(const kernel_t *k, u32 holder, u32 step, u32 name) {
    u8 kind = kind_of(&k->objects, holder);
    return !source_of(&k->steps, step) && !(name & N_PURE) && (kind == K_MODULE || kind == K_BUILTIN);
}

static void complete_call(kernel_t *k, running_t *a, u32 op, u32 step, u32 value) {
    const program_t *p = &k->program;
    objects_t *o = &k->objects;
    u32 count = use_count(&k->program, op);
    if (!count) return;
    i32 callee = use_of(&k->program, op, 0);
    u32 name = callee < 0 ? 0 : p->op_name_flags[callee];
    int is_kept = callee >= 0 && kind_of(o, used(k, a, op, 0)) == K_BUILTIN;
    u32 kept = is_kept ? kept_method(k, register_of(k, a, callee)) : 0;
    u32 few[16], *arguments = count - 1 <= 16 ? few : resized(NULL, count * sizeof(u32));
    for (u32 at = 1; at < count; at++) arguments[at - 1] = used(k, a, op, at);
    if (callee >= 0 && p->op_code[callee] == O_METHOD) {
        u32 receiver = used(k, a, (u32)callee, 0);
        if (!a->has_run_code || is_container_kind(kind_of(o, receiver))
            || is_calling_back(k, receiver, step, name))
            call_method(o, receiver, name, arguments, count - 1, step);
    } else if (kept) {
        u32 receiver = k->steps.values.at[first_operand(k, kept)];
        call_method(o, receiver, p->op_name_flags[op_of(&k->steps, kept)], arguments, count - 1, step);
    } else if (callee >= 0 && !(name & N_PURE)
               && (!a->has_run_code || is_calling_back(k, used(k, a, op, 0), step, name))) {
        for (u32 at = 1; at < count; at++) touch(o, arguments[at - 1], step);
    }
    if (!source_of(&k->steps, step) && !a->has_run_code) {
        note_result(o, value, step, name);
        if (name & N_GETATTR && count > 2 && tag_of(&k->tokens, arguments[1]) == T_STR) {
            u32 setter = setter_of(k, arguments[0], arguments[1], k->steps.values.at[step]);
            if (setter) add_read(k, step, setter);
        }
    }
    if (callee >= 0 && p->op_flags[callee] & F_PRINTS) push(&k->prints, step);
    if (kind_of(o, used(k, a, op, 0)) == K_CLASS && kind_of(o, value) != K_CLASS)
        note_constructed(o, value, step);
    if (arguments != few) free(arguments);
}

/* Take the last alternative with this value as the source.  If none has it, it is a constant: no step
   made it, and only the branch tells why it is this one.  That branch is the last one before the step;
   the stretch of the step may end in another one. */
static void complete_phi(kernel_t *k, const running_t *a, u32 step, u32 value) {
    u32 found = 0;
    u32 count;
    const u32 *operands = operands_of(&k->steps, step, &count);
    for (u32 at = 0; at < count; at++) {
        u32 operand = operands[at];
        if (operand > found && is_same(&k->objects, k->steps.values.at[operand], value)) found = operand;
    }
    u32 branch = a->last_branch < step ? a->last_branch : a->branch_before;
    if (found) set_source(&k->steps, step, found);
    else if (branch) add_read(k, step, branch);
}

static int may_return_kept_object(u8 opcode) {
    return opcode == O_CALL || opcode == O_ATTR || opcode == O_ITEM || opcode == O_NEXT
        || opcode == O_RESUME || opcode == O_IMPORT_FROM;
}

/* Give a step its value from an event, and note what the step did to reach it. */
static void complete(kernel_t *k, running_t *a, u32 op, u32 step, u32 value) {
    u8 opcode = k->program.op_code[op];
    k->steps.values.at[step] = value;
    if (a->has_result && opcode != O_RETURN && is_same(&k->objects, a->result_value, value))
        set_source(&k->steps, step, a->result);
    else
        for (u64 at = 0; at < a->results.n; at++) add_read(k, step, a->results.at[at]);
    switch (opcode) {
    case O_ATTR: complete_attr(k, a, op, step, value); break;
    case O_ITEM: complete_item(k, a, op, step, value); break;
    case O_SET_ATTR: case O_DEL_ATTR: complete_set_attr(k, a, op, step); break;
    case O_SET_ITEM: complete_set_item(k, a, op, step); break;
    case O_DEL_ITEM:
        delete_item(&k->objects, used(k, a, op, 0), used(k, a, op, 1), step);
        break;
    case O_INPLACE: complete_inplace(k, a, op, step, value); break;
    case O_CALL: complete_call(k, a, op, step, value); break;
    case O_LIST: case O_TUPLE: case O_SET: case O_DICT: note_made(&k->objects, value, step); break;
    case O_UNPACK: note_made(&k->objects, value, step); break;  /* the list of a starred target */
    case O_LAMBDA: case O_GENEXPR: case O_DEF: complete_function(k, a, op, step, value); break;
    case O_CLASS: complete_class(k, a, op, step, value); break;
    case O_COMP: complete_comprehension(k, a, op, step, value); break;
    case O_NEXT: complete_next(k, a, op, step, value); break;
    case O_IMPORT_FROM: {
        i32 module = k->program.op_extra[op];
        u32 setter =
            module < 0 ? 0 : module_variable(k, (u32)module, k->program.op_extra_name[op]);
        if (setter) set_source(&k->steps, step, setter);
        break;
    }
    case O_PHI: complete_phi(k, a, step, value); break;
    default: break;
    }
    if (!is_object(&k->objects, value)) return;
    u32 state = known_state(&k->objects, value);
    u32 first = state ? k->objects.states[state].begun : 0;
    if (first && first != step && may_return_kept_object(opcode) && !source_of(&k->steps, step))
        add_read(k, step, first);
    note_seen(&k->objects, value, step);
}

/* --- silent operations --- */

static void silent_parameter(kernel_t *k, running_t *a, u32 op, u32 step) {
    const objects_t *o = &k->objects;
    u32 number = op - k->program.function_first_op[a->function];
    if (number >= a->n_parameters) return;
    u32 value = a->parameters[number];
    k->steps.values.at[step] = value;
    if (!a->call) return;
    if (a->constructed_by && !number) {
        set_source(&k->steps, step, a->constructed_by);
        return;
    }
    /* Of several arguments with this value, the one nearest to the parameter's position. */
    u32 found = 0, first = 0, count;
    const u32 *operands = operands_of(&k->steps, a->call, &count);
    i64 nearest = 0, place = 0;
    for (u32 at = 0; at < count; at++) {
        u32 given = operands[at];
        if (!given) continue;
        if (!first) first = given;
        i64 distance = place++ - 1 - (i64)number;
        if (distance < 0) distance = -distance;
        if (!is_same(o, k->steps.values.at[given], value) || (found && distance >= nearest)) continue;
        u32 before = 0;
        while (operands[before] != given) before++;
        if (before < at) continue;  /* its first place counts */
        found = given;
        nearest = distance;
    }
    if (!found && first) {  /* the object of a method is its first argument */
        operands = operands_of(&k->steps, first, &count);
        for (u32 at = 0; at < count && !found; at++) {
            u32 holder = operands[at];
            if (holder && is_same(o, k->steps.values.at[holder], value)) found = holder;
        }
    }
    if (found) set_source(&k->steps, step, found);
}

static void silent_unpack(kernel_t *k, running_t *a, u32 op, u32 step) {
    i32 index = k->program.op_extra[op];
    if (index < 0) return;  /* a starred target */
    u32 whole = used(k, a, op, 0), element;
    if (element_at(&k->objects, whole, (u32)index, &element)) k->steps.values.at[step] = element;
    i32 use = use_of(&k->program, op, 0);
    u32 holder = use >= 0 ? register_of(k, a, use) : 0;
    if (!holder) return;
    u32 operand = element_operand(k, whole, inlined(index), holder);
    if (operand) set_source(&k->steps, step, operand);
}

static void silent_display(kernel_t *k, u32 op, u32 step) {
    const program_t *p = &k->program;
    u32 start = p->use_start[op], count = use_count(&k->program, op);
    for (u32 at = 0; at < count; at++)
        if (p->use[start + at] != CONSTANT) return;
    u32 kind = p->op_code[op];
    k->steps.values.at[step] = display_token(&k->tokens, kind, p->use_constant + start, count);
}

/* Give a step without an event its value, if that is known, and note where it came from. */
static void complete_silent(kernel_t *k, running_t *a, u32 op, u32 step) {
    u32 definer, count, last = 0;
    const u32 *operands;
    switch (k->program.op_code[op]) {
    case O_LOAD:
        definer = variable(k, a, op);
        if (definer) {
            set_source(&k->steps, step, definer);
            u32 value = as_now(&k->objects, k->steps.values.at[definer]);
            k->steps.values.at[step] = value;
        }
        break;
    case O_STORE: case O_DELETE:
        set_variable(k, a, op, step);
        if (use_count(&k->program, op)) k->steps.values.at[step] = used(k, a, op, 0);
        break;
    case O_PARAM:
        set_variable(k, a, op, step);
        silent_parameter(k, a, op, step);
        break;
    case O_UNPACK: silent_unpack(k, a, op, step); break;
    case O_PHI:  /* in a condition only the truth of the alternatives is recorded */
        operands = operands_of(&k->steps, step, &count);
        for (u32 at = 0; at < count; at++) if (operands[at] > last) last = operands[at];
        if (last) {
            set_source(&k->steps, step, last);
            k->steps.values.at[step] = k->steps.values.at[last];
        }
        break;
    case O_SET_ATTR: complete_set_attr(k, a, op, step); break;
    case O_SET_ITEM: complete_set_item(k, a, op, step); break;
    case O_LIST: case O_TUPLE: case O_SET: case O_DICT: silent_display(k, op, step); break;
    case O_NEXT: k->steps.values.at[step] = k->tokens.stop; break;
    default: break;
    }
}

/* --- stretches --- */

/* Return the last branch of the activation that decided about a block, or its call. */
static u32 controlling_step(const kernel_t *k, const running_t *a, u32 block) {
    const program_t *p = &k->program;
    u32 found = 0;
    for (u32 at = p->controlling_start[block]; at < p->controlling_start[block + 1]; at++) {
        u32 own = p->controlling[at] - p->function_first_block[a->function];
        u32 step = own < p->function_blocks[a->function] ? a->branches[own] : 0;
        if (step > found) found = step;
    }
    return found ? found : a->call;
}

/* Append one step for each operation of a stretch, and return the last one. */
static u32 emit(kernel_t *k, running_t *a, u32 stretch) {
    const program_t *p = &k->program;
    u32 block = p->stretch_block[stretch], op = p->stretch_first[stretch], step = 0;
    u32 end = op + p->stretch_ops[stretch];
    add_instance(&k->steps, stretch, a->number, controlling_step(k, a, block), a->last_instance);
    a->last_instance = (i64)k->steps.stretch.n - 1;
    a->stretch = (i32)stretch;
    u32 first_op = p->function_first_op[a->function], n_ops = p->function_ops[a->function];
    for (; op < end; op++) {
        step = (u32)k->steps.values.n;
        push(&k->steps.values, MISSING);
        if (k->steps.source_rank[op] != NO_RANK) push(&k->steps.sources, 0);
        for (u32 at = p->use_start[op]; at < p->use_start[op + 1]; at++) {
            u32 own = (u32)p->use[at] - first_op;
            push(&k->steps.operands, p->use[at] >= 0 && own < n_ops ? a->registers[own] : 0);
        }
        if (op - first_op < n_ops) a->registers[op - first_op] = step;
        if (!(p->op_flags[op] & F_LOGGED) || p->op_code[op] == O_NEXT)
            complete_silent(k, a, op, step);
        else if (p->op_code[op] == O_INPLACE && p->op_flags[op] & F_EXTRA)
            read_target(k, a, op, step);
    }
    if (p->op_flags[end - 1] & F_BRANCH) {
        a->branch_before = a->last_branch;
        a->last_branch = step;
        u32 own = block - p->function_first_block[a->function];
        if (own < p->function_blocks[a->function]) a->branches[own] = step;
    } else if (a->elements && p->op_flags[end - 1] & F_ELEMENT) {
        elements_t *elements = elements_at(a, end - 1);
        if (elements) push(&elements->steps, step);
    }
    return step;
}

/* --- silent paths --- */

/* A position is the last executed stretch, or -1 - function before the first one, and the side
   that its branch took, or -1 if the side is unknown. */
typedef struct { i64 stretch; i64 side; } position_t;

static i64 side_of(kernel_t *k, const running_t *a, u32 stretch) {
    u32 op = last_op(&k->program, stretch);
    u32 value = k->steps.values.at[register_of(k, a, (i32)op)];
    int truth;
    switch (k->program.op_code[op]) {
    case O_BRANCH: return value == TRUE_ ? 0 : 1;
    case O_NEXT: return value == k->tokens.stop ? 1 : 0;
    case O_TRY: return value == NONE ? 0 : -1;
    case O_MATCH:
        return value == TRUE_ ? 1 : value == FALSE_ ? 0 : is_inline(value) ? inline_value(value) : -1;
    case O_EITHER:
        truth = truth_of(&k->objects, value);
        if (truth < 0) return -1;
        return truth == !!(k->program.op_flags[op] & F_AND) ? 0 : 1;
    default: return 0;
    }
}

static position_t position_of(kernel_t *k, const running_t *a) {
    if (a->stretch < 0) return (position_t){-1 - (i64)a->function, 0};
    return (position_t){a->stretch, side_of(k, a, (u32)a->stretch)};
}

/* Return the next stretch of the same block, or -1, and the blocks that can follow it. */
static i64 after(const kernel_t *k, position_t at, const u32 **blocks, u32 *count) {
    const program_t *p = &k->program;
    if (at.stretch < 0) {
        *blocks = &p->function_first_block[-1 - at.stretch];
        *count = 1;
        return -1;
    }
    u32 block = p->stretch_block[at.stretch];
    u32 end = p->block_first_stretch[block] + p->block_stretches[block];
    u32 start = p->following_start[block], all = p->following_start[block + 1] - start;
    *blocks = p->following + start;
    *count = all;
    if (at.side >= 0 && p->op_flags[last_op(&k->program, (u32)at.stretch)] & F_BRANCH) {
        *count = at.side < all ? 1 : 0;
        *blocks += *count ? at.side : 0;
    }
    return at.stretch + 1 < end ? at.stretch + 1 : -1;
}

static int was_seen(kernel_t *k, u32 block) {
    if (k->seen.at[block] == k->stamp) return 1;
    k->seen.at[block] = k->stamp;
    return 0;
}

/* Work is a stack of pairs of a block and a node; a node is a stretch and the node before. */
static void add_work(kernel_t *k, u32 block, u32 node) {
    push(&k->work, block);
    push(&k->work, node);
}

static u32 add_node(kernel_t *k, u32 stretch, u32 before) {
    push(&k->nodes, stretch);
    push(&k->nodes, before);
    return (u32)(k->nodes.n / 2);  /* 0 stands for no node */
}

static path_t path_to(kernel_t *k, u32 node) {
    path_t found = {(u32)k->paths.n, 0, -1};
    for (u32 at = node; at; at = k->nodes.at[2 * at - 1]) push(&k->paths, k->nodes.at[2 * at - 2]);
    found.count = (u32)k->paths.n - found.first;
    for (u32 low = 0; low + 1 < found.count - low; low++) {
        u32 *one = &k->paths.at[found.first + low];
        u32 *other = &k->paths.at[found.first + found.count - 1 - low];
        u32 kept_stretch = *one;
        *one = *other;
        *other = kept_stretch;
    }
    return found;
}

/* Find the silent stretches from a position to `target`; none if no path is known. */
static path_t search(kernel_t *k, position_t from, u32 target) {
    const program_t *p = &k->program;
    const u32 *blocks;
    u32 count, goal = p->stretch_block[target], begun = 0, n_seen = 0;
    i64 rest = after(k, from, &blocks, &count);
    path_t none = {0, 0, -1};
    k->work.n = k->nodes.n = 0;
    k->stamp++;
    if (rest >= 0) {
        if (p->stretch_block[rest] == goal && rest <= target) return none;
        if (!is_silent(k, (u32)rest)) return none;
        begun = add_node(k, (u32)rest, 0);
    }
    for (u32 at = count; at-- > 0;) add_work(k, blocks[at], begun);
    while (k->work.n && n_seen < MAX_BLOCKS) {
        u32 node = k->work.at[--k->work.n], block = k->work.at[--k->work.n];
        if (block == goal) return path_to(k, node);
        if (was_seen(k, block)) continue;
        n_seen++;
        u32 first = p->block_first_stretch[block], stretches = p->block_stretches[block];
        u32 start = p->following_start[block], end = p->following_start[block + 1];
        if (stretches == 1 && p->op_code[last_op(&k->program, first)] == O_NEXT) {
            /* The end of a comprehension's loop is not logged. */
            if (end - start > 1) add_work(k, p->following[start + 1], add_node(k, first, node));
        } else if (stretches == 0 || (stretches == 1 && is_silent(k, first))) {
            u32 next = stretches ? add_node(k, first, node) : node;
            for (u32 at = end; at-- > start;) add_work(k, p->following[at], next);
        }
    }
    return none;
}

/* Find the silent stretches after a position, and the next stretch with an event. */
static path_t search_logged(kernel_t *k, position_t from) {
    const program_t *p = &k->program;
    const u32 *blocks;
    u32 count;
    i64 rest = after(k, from, &blocks, &count);
    path_t found = {(u32)k->paths.n, 0, -1};
    if (rest >= 0) {
        if (!is_silent(k, (u32)rest)) {
            found.then = (i32)rest;
            return found;
        }
        push(&k->paths, (u32)rest);
        found.count++;
    }
    k->stamp++;
    while (count && !was_seen(k, blocks[0])) {
        u32 block = blocks[0], first = p->block_first_stretch[block];
        for (u32 at = first; at < first + p->block_stretches[block]; at++) {
            if (!is_silent(k, at)) {
                found.then = (i32)at;
                return found;
            }
            push(&k->paths, at);
            found.count++;
        }
        blocks = p->following + p->following_start[block];
        count = p->following_start[block + 1] - p->following_start[block];
    }
    return found;
}

static u64 position_key(position_t at) {
    return (u64)(at.stretch + (1 << 26)) << 6 | (u64)((at.side + 1) & 63);
}

static path_t remembered(kernel_t *k, table_t *table, u64 key, position_t at, i64 target) {
    u32 number = entry(table, key);
    if (number) return k->found[number - 1];
    path_t path = target < 0 ? search_logged(k, at) : search(k, at, (u32)target);
    make_room((void **)&k->found, &k->found_room, k->n_found + 1, sizeof(path_t));
    k->found[k->n_found++] = path;
    set_entry(table, key, (u32)k->n_found);
    return path;
}

static path_t path_between(kernel_t *k, position_t at, u32 target) {
    if (at.side > 60) return search(k, at, target);  /* a `match` with very many cases */
    return remembered(k, &k->path_of, position_key(at) << 30 ^ target, at, target);
}

static path_t next_logged(kernel_t *k, position_t at) {
    if (at.side > 60) return search_logged(k, at);
    return remembered(k, &k->next_of, position_key(at), at, -1);
}

static u32 emit_path(kernel_t *k, running_t *a, path_t path) {
    u32 step = 0;
    for (u32 at = 0; at < path.count; at++) step = emit(k, a, k->paths.at[path.first + at]);
    return step;
}

static void emit_until(kernel_t *k, running_t *a, u32 target) {
    emit_path(k, a, path_between(k, position_of(k, a), target));
}

/* Return the step of an activation that runs other code now; emit it if needed.  0: none. */
static u32 begin_step(kernel_t *k, running_t *a) {
    if (a->pending) return a->pending;
    path_t path = next_logged(k, position_of(k, a));
    if (path.then < 0) return a->last_instance >= 0 ? (u32)(k->steps.values.n - 1) : 0;
    if (!(k->program.op_flags[last_op(&k->program, (u32)path.then)] & F_RUNS_CODE)) return last_step(k, a);
    emit_path(k, a, path);
    a->pending = emit(k, a, (u32)path.then);
    a->has_run_code = 1;
    return a->pending;
}

/* --- events --- */

static void set_raised(kernel_t *k, u32 step, u32 by) { set_entry(&k->raised, step, by + 1); }

static void give_back(kernel_t *k, running_t *a, u32 op, u32 step, u32 value) {
    if (k->program.op_code[op] == O_RETURN) k->rows[a->number].ret = step;
    if (top_of(k) != a) return;
    pop_closed(k, 0);
    running_t *caller = top_of(k);
    if (!caller) return;
    caller->result = step;
    caller->result_value = value;
    caller->has_result = 1;
    push(&caller->results, step);
}

/* Replay that a logged operation has its value. */
/* Emit the silent end of a try body, such as the store of its last statement.  A body that raised
   has no event for its try, so this one was executed to its end. */
static void end_body(kernel_t *k, running_t *a, u32 stretch) {
    const program_t *p = &k->program;
    u32 before = stretch - 1;
    if (stretch && p->stretch_block[before] == p->stretch_block[stretch]
        && a->stretch != (i32)before && is_silent(k, before))
        emit(k, a, before);
}

static void complete_event(kernel_t *k, running_t *a, u32 op, u32 value) {
    const program_t *p = &k->program;
    u32 stretch = p->op_stretch[op], step;
    if (a->pending && a->stretch == (i32)stretch) {
        step = a->pending;
        complete(k, a, op, step, value);
        a->has_run_code = 0;
        a->results.n = 0;
    } else {
        a->has_result = 0;
        int continues = a->stretch >= 0 && (u32)a->stretch + 1 == stretch
            && p->stretch_block[a->stretch] == p->stretch_block[stretch];
        if (!continues) {
            emit_until(k, a, stretch);
            if (p->op_code[op] == O_TRY) end_body(k, a, stretch);
        }
        step = emit(k, a, stretch);
        complete(k, a, op, step, value);
    }
    a->has_result = 0;
    a->raised = a->pending = 0;
    if (p->op_code[op] == O_RETURN || p->op_code[op] == O_YIELD) give_back(k, a, op, step, value);
}

/* Does an activation initialise the new object of a call of a class? */
static int constructs(const kernel_t *k, const running_t *caller, const running_t *entered) {
    const program_t *p = &k->program;
    if (!(p->function_flags[entered->function] & U_INIT)) return 0;
    if (!entered->n_parameters || caller->stretch < 0) return 0;
    u32 op = last_op(&k->program, (u32)caller->stretch);
    if (p->op_code[op] != O_CALL || !use_count(&k->program, op)) return 0;
    i32 callee = use_of(&k->program, op, 0);
    return callee >= 0 && !(p->op_flags[callee] & F_INIT);
}

static running_t *new_running(kernel_t *k, u32 function, u64 frame, u32 call, running_t *outer) {
    const program_t *p = &k->program;
    running_t *a = zeroed(1, sizeof(running_t));
    u32 slots = p->slot_start[function + 1] - p->slot_start[function];
    int is_module = !!(p->function_flags[function] & U_MODULE);
    int is_class = !!(p->function_flags[function] & U_CLASS);
    u64 room = (u64)p->function_ops[function] + p->function_blocks[function];
    a->registers = zeroed(room + (is_module ? 0 : slots) + (is_class ? slots : 0), sizeof(u32));
    a->branches = a->registers + p->function_ops[function];
    a->variables = is_module ? k->globals[p->function_module[function]] : a->registers + room;
    a->order = is_class ? a->registers + room + slots : NULL;
    a->number = (u32)k->n_rows;
    a->function = function;
    a->frame = frame;
    a->call = call;
    a->enclosing = kept(outer);
    a->stretch = -1;
    a->last_instance = -1;
    a->references = 1;
    return a;
}

/* Return the record that started the running thread; NULL: it is the first thread. */
static const switch_t *start_of(const kernel_t *k) {
    for (u64 at = k->n_done; at-- > 0;)
        if (k->switches[at].record == STARTS && k->switches[at].ident == k->thread)
            return &k->switches[at];
    return NULL;
}

static void enter(kernel_t *k, u32 op, u64 frame, const u32 *parameters, u32 count) {
    const program_t *p = &k->program;
    u32 function = p->op_function[op];
    running_t *caller = top_of(k);
    u32 call = caller ? begin_step(k, caller) : 0, parent = caller ? caller->number : 0;
    const switch_t *start = caller ? NULL : start_of(k);
    if (start) {
        call = start->call;
        parent = start->parent;
    }
    running_t *a = new_running(k, function, frame, call, enclosing_of(k, function, caller, call));
    a->parameters = parameters;
    a->n_parameters = count;
    if (caller && is_handed(k, function, caller)) {
        u32 definition = entry(&k->definitions, function);
        if (definition) {
            push(&k->handed, a->number);
            push(&k->handed_step, definition);
        }
    }
    make_room((void **)&k->rows, &k->row_room, k->n_rows + 1, sizeof(row_t));
    k->rows[k->n_rows] = (row_t){
        .function = function, .parent = parent, .call = call, .first = (u32)k->steps.stretch.n,
        .last = (u32)k->steps.stretch.n, .flags = call ? DIRECT : 0, .depth = k->rows[parent].depth + 1};
    k->n_rows++;
    push_running(k, a);
    keep_in(k, &k->frames, frame, a);
    running_t *before = k->latest[function];
    k->latest[function] = kept(a);
    release(k, before);
    if (caller && call && constructs(k, caller, a)) {
        note_constructed(&k->objects, parameters[0], call);
        a->constructed_by = call;
    }
    if (p->op_code[op] == O_ENTER) emit(k, a, p->op_stretch[op]);
    a->n_parameters = 0;
    release(k, a);  /* the stack keeps it */
}

/* Replay that the activation on top of the stack resumed a suspended activation. */
static void continue_with(kernel_t *k, running_t *a) {
    if (a->is_on_stack && a->thread != k->thread_number) return;
    if (a->is_on_stack) {
        while (top_of(k) != a) pop_closed(k, UNWOUND);
        return;
    }
    if (top_of(k)) begin_step(k, top_of(k));
    push_running(k, a);
}

static void resume(kernel_t *k, u32 op, u64 frame, u32 value) {
    running_t *a = kept_in(k, &k->frames, frame);
    if (!a) return;
    continue_with(k, a);
    complete_event(k, a, op, value);
}

/* Set the exception of raising steps in lambdas and generator expressions.

   These do not log the exception by which they are left, but their caller does. */
static void set_inner_exception(kernel_t *k, u32 step, u32 value) {
    while (step && value != MISSING && k->steps.values.at[step] == MISSING) {
        k->steps.values.at[step] = value;
        u32 by = entry(&k->raised, step);
        step = by ? by - 1 : 0;
    }
}

static int has_raised(const kernel_t *k, const running_t *a) {
    if (a->stretch < 0 || a->pending) return 0;
    u8 opcode = k->program.op_code[last_op(&k->program, (u32)a->stretch)];
    return opcode == O_RAISE || opcode == O_RERAISE;
}

/* Return the step of an activation that raised or whose callee raised; 0: none. */
static u32 raise_in(kernel_t *k, running_t *a, u32 value) {
    u32 step;
    if (a->unwinding) {
        step = a->unwinding;
        a->unwinding = 0;
    } else if (has_raised(k, a)) {
        step = last_step(k, a);
    } else {
        step = begin_step(k, a);
        if (!a->pending && a->stretch >= 0) {
            path_t path = next_logged(k, position_of(k, a));
            if (path.count) step = emit_path(k, a, path);
            if (path.then >= 0) step = emit(k, a, (u32)path.then);
        }
    }
    if (!step) return 0;
    if (value == MISSING && a->raised) value = k->steps.values.at[a->raised];  /* the callee's exception */
    k->steps.values.at[step] = value;  /* a loop whose iteration raised looked as if it were at its end */
    if (value != MISSING) note_seen(&k->objects, value, step);
    set_inner_exception(k, a->raised, value);
    set_raised(k, step, a->raised);
    if (a->raised) set_source(&k->steps, step, a->raised);
    a->pending = a->raised = 0;
    a->has_result = 0;
    for (u64 at = 0; at < a->results.n; at++) add_read(k, step, a->results.at[at]);
    a->has_run_code = 0;
    a->results.n = 0;
    return step;
}

/* Leave the activations above that of a frame, and return the latter. */
static running_t *unwind_to(kernel_t *k, u64 frame, u32 function) {
    running_t *a = kept_in(k, &k->frames, frame);
    if (!a || a->function != function) return NULL;
    if (a->is_on_stack && a->thread != k->thread_number) return NULL;
    if (a->is_on_stack) {
        while (top_of(k) != a) {  /* such as a lambda, which does not log its end */
            running_t *left = pop_running(k);
            u32 step = raise_in(k, left, MISSING);
            top_of(k)->raised = step;
            close_running(k, left, UNWOUND);
            release(k, left);
        }
    } else {  /* an exception was thrown into the suspended activation */
        a->raised = top_of(k) ? top_of(k)->raised : 0;
        push_running(k, a);
    }
    return a;
}

/* Is it the exception that closes a generator?  It is not raised in the caller. */
static int is_generator_exit(kernel_t *k, u32 exception) {
    if (!is_object(&k->objects, exception)) return 0;
    u32 shape = k->tokens.at[exception].b;
    if (tag_of(&k->tokens, shape) != T_TUPLE || !k->tokens.at[shape].a) return 0;
    const token_t *name = &k->tokens.at[tuple_item(&k->tokens, shape, 0)];
    return name->tag == T_STR && name->a == 13
        && !memcmp(k->tokens.text.at + name->x, "GeneratorExit", 13);
}

static void leave(kernel_t *k, u32 op, u64 frame, u32 value) {
    running_t *a = unwind_to(k, frame, k->program.op_function[op]);
    if (!a) return;
    u32 step = raise_in(k, a, value);
    pop_closed(k, UNWOUND);
    forget(k, &k->frames, frame);
    if (is_generator_exit(k, value)) return;
    if (top_of(k)) top_of(k)->raised = step;
    if (step) {
        push(&k->left, step);
        push(&k->left_value, value);
    }
}

static void catch_(kernel_t *k, u32 op, u64 frame, u32 value) {
    running_t *a = unwind_to(k, frame, k->program.op_function[op]);
    if (!a) return;
    u32 step = raise_in(k, a, value);
    i32 branch = k->program.op_extra[op];
    if (branch >= 0) {
        u32 branched = emit(k, a, k->program.op_stretch[branch]);
        k->steps.values.at[branched] = value;
        if (step) set_source(&k->steps, branched, step);
    }
    u32 caught = emit(k, a, k->program.op_stretch[op]);
    k->steps.values.at[caught] = value;
    if (step) set_source(&k->steps, caught, step);
}

/* Replay an exception if a with or try body did not reach its end. */
static void check_swallowed(kernel_t *k, running_t *a) {
    u8 last = a->stretch < 0 ? O_OTHER : k->program.op_code[last_op(&k->program, (u32)a->stretch)];
    if ((last != O_JUMP && last != O_RETURN && last != O_WITH_EXIT) || a->pending)
        a->unwinding = raise_in(k, a, MISSING);
}

static void begin_finally(kernel_t *k, u32 op, u64 frame) {
    running_t *a = unwind_to(k, frame, k->program.op_function[op]);
    if (!a) return;
    check_swallowed(k, a);
    if (!a->unwinding) a->pending = 0;
    emit_until(k, a, k->program.op_stretch[op]);
    emit(k, a, k->program.op_stretch[op]);
}

/* Return the activation to which an event without a frame belongs. */
static running_t *current(kernel_t *k, u32 op) {
    u32 function = k->program.op_function[op];
    while (k->depth && top_of(k)->function != function) {
        if (!k->on_stack[function]) return k->latest[function];  /* resumed without an event */
        pop_closed(k, UNWOUND);
    }
    return k->depth ? top_of(k) : k->latest[function];
}

/* Replay one event of the log. */
static void replay_event(
    kernel_t *k, u32 op, u32 value, int framing, u64 frame, const u32 *params, u32 n_params
) {
    const program_t *p = &k->program;
    u32 flags = p->op_flags[op];
    u8 opcode = p->op_code[op];
    if (flags & F_PLAIN) {  /* nearly all events are */
        running_t *a = top_of(k);
        if (a && a->function == p->op_function[op]) {
            complete_event(k, a, op, value);
            return;
        }
    }
    switch (opcode) {
    case O_ENTER:
        if (framing == WITH_PARAMETERS) enter(k, op, frame, params, n_params);
        return;
    case O_LEAVE:
        if (framing) leave(k, op, frame, value);
        return;
    case O_CAUGHT:
        if (framing) catch_(k, op, frame, value);
        return;
    case O_FINALLY:
        begin_finally(k, op, (u64)int_value(&k->tokens, value));
        return;
    case O_RESUME:
        if (framing) resume(k, op, frame, value);
        return;
    default: break;
    }
    if (opcode == O_NEXT && flags & F_GENEXPR) {
        if (!framing) return;
        running_t *a = kept_in(k, &k->frames, frame);
        if (!a || a->function != p->op_function[op]) enter(k, op, frame, NULL, 0);
        else continue_with(k, a);
        complete_event(k, top_of(k), op, value);
    } else if (flags & F_ASYNC) {
        if (opcode == O_WITH_EXIT) resume(k, op, (u64)int_value(&k->tokens, value), NONE);
        else if (framing) resume(k, op, frame, value);
    } else {
        running_t *a = current(k, op);
        if (!a) return;
        if (opcode == O_WITH_EXIT && a->stretch != (i32)p->op_stretch[op]) check_swallowed(k, a);
        complete_event(k, a, op, value);
    }
}

/* --- threads --- */

/* Note with each start which thread it started: this is logged after the thread has begun. */
static void pair_starts(kernel_t *k) {
    u64 running = 0;
    for (u64 at = 0; at < k->n_switches; at++) {
        switch_t *one = &k->switches[at];
        if (one->record == THREAD) running = one->ident;
        if (one->record == STARTS) { one->by = running; one->ident = 0; }
        for (u64 before = one->record == STARTED ? at : 0; before-- > 0;) {
            switch_t *start = &k->switches[before];
            if (start->record != STARTS || start->by != running) continue;
            start->ident = one->ident;
            break;
        }
    }
}

/* Let another thread run. */
static void switch_to(kernel_t *k, u64 ident) {
    if (!k->thread) k->thread = ident;  /* until now there was only one */
    if (k->thread == ident) return;
    make_room((void **)&k->waiting, &k->waiting_room, k->n_waiting + 1, sizeof(waiting_t));
    waiting_t before = {
        .ident = k->thread, .number = k->thread_number, .stack = k->stack, .depth = k->depth, .stack_room = k->stack_room,
        .on_stack = k->on_stack};
    u64 at = 0;
    while (at < k->n_waiting && k->waiting[at].ident != ident) at++;
    if (at == k->n_waiting)
        k->waiting[k->n_waiting++] = (waiting_t){
            .ident = ident, .number = (u32)at + 1,
            .on_stack = zeroed(k->program.n_functions, sizeof(u32))};
    waiting_t now = k->waiting[at];
    k->waiting[at] = before;
    k->thread = ident;
    k->thread_number = now.number;
    k->stack = now.stack;
    k->depth = now.depth;
    k->stack_room = now.stack_room;
    k->on_stack = now.on_stack;
}

/* Replay the records about threads before an event. */
static void replay_switches(kernel_t *k, u64 event) {
    for (; k->n_done < k->n_switches && k->switches[k->n_done].at <= event; k->n_done++) {
        switch_t *one = &k->switches[k->n_done];
        if (one->record == THREAD) switch_to(k, one->ident);
        if (one->record != STARTS || !top_of(k)) continue;
        one->call = begin_step(k, top_of(k));
        one->parent = top_of(k)->number;
    }
}

static int has_ended(const kernel_t *k) {
    for (u64 at = k->records.n; at-- > 0;)
        if (k->records.at[at] == END) return 1;
    return 0;
}

static void close_stack(kernel_t *k, running_t **stack, u64 depth, int is_running) {
    while (depth-- > 0) {
        close_running(k, stack[depth], UNWOUND);
        if (is_running) k->rows[stack[depth]->number].flags &= ~(u32)UNWOUND;
    }
}

/* Add the calls in which the threads of a killed process waited, in the order of the threads. */
static void begin_waiting(kernel_t *k) {
    for (u32 number = 0; number <= k->n_waiting; number++) {
        running_t *top = k->thread_number == number ? top_of(k) : NULL;
        for (u64 at = 0; at < k->n_waiting; at++) {
            const waiting_t *one = &k->waiting[at];
            if (one->number == number && one->depth) top = one->stack[one->depth - 1];
        }
        if (top) begin_step(k, top);
    }
}

/* Close what is still running in all threads.

   If the process was killed, only activations that were running then are not unwound: a suspended
   generator is. */
static void close_threads(kernel_t *k) {
    int is_killed = !has_ended(k);
    if (is_killed) begin_waiting(k);
    for (u64 row = 1; is_killed && row < k->n_rows; row++)
        if (!k->rows[row].ret) k->rows[row].flags |= UNWOUND;
    close_stack(k, k->stack, k->depth, is_killed);
    for (u64 thread = 0; thread < k->n_waiting; thread++)
        close_stack(k, k->waiting[thread].stack, k->waiting[thread].depth, is_killed);
}

static void free_threads(kernel_t *k) {
    for (u64 thread = 0; thread < k->n_waiting; thread++) {
        waiting_t *one = &k->waiting[thread];
        for (u64 at = one->depth; at-- > 0;) release(k, one->stack[at]);
        free(one->stack);
        free(one->on_stack);
    }
    free(k->waiting);
    free(k->switches);
    k->waiting = NULL;
    k->switches = NULL;
    k->n_waiting = k->waiting_room = k->n_switches = k->switch_room = 0;
}

/* --- the whole run --- */

static void begin(kernel_t *k) {
    const program_t *p = &k->program;
    objects_t *o = &k->objects;
    o->tokens = &k->tokens;
    o->n_types = (u32)p->n_types;
    o->type_kind = p->type_kind;
    o->ancestor_start = p->ancestor_start;
    o->ancestor = p->ancestor;
    o->run = &k->steps;
    for (u32 type = 0; type < p->n_types; type++) {
        if (!p->type_kind[type]) continue;
        entry_t *found = entry_for(&o->type_at, p->type_address[type]);
        if (!found->value) found->value = type + 1;
    }
    make_room((void **)&o->states, &o->state_room, 1, sizeof(state_t));
    o->states[0] = (state_t){0};
    o->n_states = 1;
    make_room((void **)&o->links, &o->link_room, 1, sizeof(link_t));
    o->links[0] = (link_t){0};
    o->n_links = 1;
    k->latest = zeroed(p->n_functions, sizeof(running_t *));
    k->on_stack = zeroed(p->n_functions, sizeof(u32));
    k->globals = zeroed(p->n_modules, sizeof(u32 *));
    for (u32 module = 0; module < p->n_modules; module++) {
        u32 body = p->module_scope[module], start = p->slot_start[body];
        u32 slots = p->slot_start[body + 1] - start;
        k->globals[module] = zeroed(slots, sizeof(u32));
        set_entry(&k->module_of, p->module_name[module], module + 1);
        for (u32 slot = 0; slot < slots; slot++)
            set_entry(&k->global_slot, pair(module, p->slot_name[start + slot]), slot + 1);
    }
    make_room((void **)&k->seen.at, &k->seen.room, p->n_blocks, sizeof(u32));
    memset(k->seen.at, 0, p->n_blocks * sizeof(u32));
    make_room((void **)&k->kept, &k->kept_room, 1, sizeof(running_t *));
    k->n_kept = 1;
    make_room((void **)&k->rows, &k->row_room, 1, sizeof(row_t));
    k->rows[0] = (row_t){0};
    k->n_rows = 1;
    begin_steps(&k->steps, p);
}

static void free_column(column_t *column) {
    free(column->at);
    *column = (column_t){0};
}

static void free_table(table_t *table) {
    free(table->at);
    *table = (table_t){0};
}

/* Free what only replaying needs. */
static void end(kernel_t *k) {
    while (k->depth) release(k, pop_running(k));
    free_threads(k);
    for (u64 at = 1; at < k->n_kept; at++) if (k->kept[at]) release(k, k->kept[at]);
    for (u64 at = 0; k->latest && at < k->program.n_functions; at++) release(k, k->latest[at]);
    for (u64 at = 0; k->globals && at < k->program.n_modules; at++) free(k->globals[at]);
    free(k->kept); free(k->stack); free(k->latest); free(k->on_stack); free(k->globals);
    free(k->found); free(k->framing.at); free(k->frames_of.at);
    k->kept = k->stack = k->latest = NULL;
    k->on_stack = NULL; k->globals = NULL; k->found = NULL;
    k->framing = (bytes_t){0}; k->frames_of = (column64_t){0};
    k->n_kept = k->kept_room = k->stack_room = k->n_found = k->found_room = 0;
    column_t *columns[] = {
        &k->event_ops, &k->event_values, &k->framed, &k->frame_params, &k->params, &k->unused, &k->paths, &k->seen,
        &k->work, &k->nodes};
    for (u32 at = 0; at < sizeof columns / sizeof *columns; at++) free_column(columns[at]);
    table_t *tables[] = {
        &k->frames, &k->definers, &k->bodies, &k->definitions, &k->global_slot, &k->module_of,
        &k->path_of, &k->next_of, &k->objects.now, &k->objects.items, &k->objects.attributes,
        &k->objects.type_at};
    for (u32 at = 0; at < sizeof tables / sizeof *tables; at++) free_table(tables[at]);
}

/* Write the column that leads from steps to instances. */
static void index_run(kernel_t *k) {
    const steps_t *s = &k->steps;
    u64 step = 0;
    for (u64 at = 0; at < s->stretch.n; at++) {
        u32 end = s->first.at[at] + k->program.stretch_ops[s->stretch.at[at]];
        for (; step < end; step += 64) push(&k->instmap, (u32)at);
    }
    for (; step < s->values.n + 63; step += 64)
        push(&k->instmap, s->stretch.n ? (u32)s->stretch.n - 1 : 0);
}

/* Replay the events along the program.  Returns 0, or what went wrong. */
EXPORT int wh_replay(kernel_t *k, const program_t *program) {
    jmp_buf here;
    escape = &here;
    k->program = *program;
    int failed = setjmp(here);
    if (failed) return failed;
    begin(k);
    pair_starts(k);
    u64 framed = 0;
    for (u64 at = 0; at < k->event_ops.n; at++) {
        u32 op = k->event_ops.at[at];
        int framing = NO_FRAME;
        u64 frame = 0, from = 0, to = 0;
        if (framed < k->framed.n && k->framed.at[framed] == at) {
            framing = k->framing.at[framed];
            frame = k->frames_of.at[framed];
            from = to = k->frame_params.at[framed++];
            if (framing == WITH_PARAMETERS)
                to = framed < k->framed.n ? k->frame_params.at[framed] : k->params.n;
        }
        if (k->n_done < k->n_switches) replay_switches(k, at);
        if (op >= program->n_ops) continue;  /* the log lacks the record of its module */
        replay_event(
            k, op, k->event_values.at[at], framing, frame, k->params.at + from, (u32)(to - from));
    }
    close_threads(k);
    for (u64 at = 0; at < k->raised.room; at++)
        if (k->raised.at[at].key != NO_KEY) {
            push(&k->raised_step, (u32)k->raised.at[at].key);
            push(&k->raised_by, k->raised.at[at].value - 1);
        }
    index_run(k);
    end(k);
    give_back_memory();
    return 0;
}

/* Write the steps of a list of links to `found`, the first first; returns how many there are. */
EXPORT u64 wh_links(const kernel_t *k, u32 last, u32 *found) {
    u64 count = 0;
    for (u32 at = last; at; at = k->objects.links[at].before) count++;
    u64 left = count;
    if (found)
        for (u32 at = last; at; at = k->objects.links[at].before)
            found[--left] = k->objects.links[at].step;
    return count;
}

/* Return the step whose value a step copied; 0: it copied none. */
EXPORT u32 wh_source(const kernel_t *k, u32 step) {
    return step && step < k->steps.values.n ? source_of(&k->steps, step) : 0;
}

/* Return the operands of a step, and their number. */
EXPORT const u32 *wh_operands(const kernel_t *k, u32 step, u32 *count) {
    return operands_of(&k->steps, step < k->steps.values.n ? step : 0, count);
}

/* Write the steps that have one of the `wanted` steps as an operand to `found`; returns how many. */
EXPORT u64 wh_users(const kernel_t *k, const u8 *wanted, u32 *found) {
    const program_t *p = &k->program;
    const steps_t *s = &k->steps;
    u64 count = 0;
    const u32 *operand = s->operands.at;
    for (u64 at = 0; at < s->stretch.n; at++) {
        u32 op = p->stretch_first[s->stretch.at[at]], ops = p->stretch_ops[s->stretch.at[at]];
        for (u32 n = 0; n < ops; n++) {
            int uses = 0;
            for (u32 left = use_count(p, op + n); left; left--) uses |= wanted[*operand++];
            if (uses) found[count++] = s->first.at[at] + n;
        }
    }
    return count;
}

/* Write the instances ordered by stretch to `found`; `next` has where those of each stretch start. */
EXPORT void wh_by_stretch(const kernel_t *k, u32 *next, u32 *found) {
    for (u64 at = 0; at < k->steps.stretch.n; at++) found[next[k->steps.stretch.at[at]]++] = (u32)at;
}

typedef struct { void *at; u64 n; } array_t;

/* Describe the arrays that Python reads; their order is that of ARRAYS in kernel.py. */
EXPORT void wh_arrays(const kernel_t *k, array_t *found) {
    const tokens_t *t = &k->tokens;
    const objects_t *o = &k->objects;
    const steps_t *s = &k->steps;
    const column_t *columns[] = {
        &k->records, &k->record_values, &k->event_ops, &s->stretch, &s->first, &s->activation,
        &s->control, &s->values, &s->operands, &s->sources, &s->jumps, &s->jumps_from,
        &k->read_step, &k->read, &k->prints, &k->left, &k->left_value, &k->handed, &k->handed_step,
        &k->raised_step, &k->raised_by, &k->instmap, &o->changers, &t->items};
    u32 n = sizeof columns / sizeof *columns;
    for (u32 at = 0; at < n; at++) found[at] = (array_t){columns[at]->at, columns[at]->n};
    found[n++] = (array_t){k->rows, k->n_rows};
    found[n++] = (array_t){t->at, t->n};
    found[n++] = (array_t){t->text.at, t->text.n};
    found[n++] = (array_t){o->states, o->n_states};
    found[n++] = (array_t){o->functions.at, o->functions.n};
    found[n++] = (array_t){o->classes.at, o->classes.n};
}

EXPORT void wh_free(kernel_t *k) {
    if (!k) return;
    end(k);
    free_tokens(&k->tokens);
    free_objects(&k->objects);
    column_t *columns[] = {
        &k->records, &k->record_values, &k->event_ops, &k->read_step, &k->read, &k->prints, &k->left,
        &k->left_value, &k->handed, &k->handed_step, &k->raised_step, &k->raised_by, &k->instmap};
    for (u32 at = 0; at < sizeof columns / sizeof *columns; at++) free_column(columns[at]);
    free_table(&k->raised);
    free_steps(&k->steps);
    free(k->rows);
    free(k);
}
