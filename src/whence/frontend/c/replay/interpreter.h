/* What does each op do? */
#ifndef WHENCE_INTERPRETER_H
#define WHENCE_INTERPRETER_H
#include "arithmetic.h"
#include "jumps.h"

static const u32 LAST_STEP = MIXED - 1 - (1u << 24); /* links from MIXED on are no steps */
static const u64 PROGRESS = 1 << 20; /* steps between two calls of the progress function */
static const u32 QUIET = 10 * 1000 * 1000; /* limit on ops without a byte of log; guessed */

/* --- the interpreter --------------------------------------------------------------------------- */

/* Periodic work: a checkpoint, a section, a progress report.  Return 0 to stop. */
OUTLINE int event(struct kernel *k) {
    if (k->is_laying) return 0;
    if (k->step >= LAST_STEP) return fail(k, STOPPED, "more than %u steps", LAST_STEP), 0;
    if (k->n_mixed >> 28 || k->n_runs >> 31)
        return fail(k, STOPPED, "too many values that several writes defined"), 0;
    if (k->memory.out_of_memory) return out_of_memory(k), 0;
    if (k->step >= k->next_checkpoint) save_checkpoint(k);
    if (k->step >= k->next_section) save_section(k);
    if (k->step >= k->next_progress) {
        k->next_progress = k->step + PROGRESS;
        if (k->n_sections) mapped_release(&k->activations);
        if (k->progress && k->progress(k->step, (u64)(k->p - k->log)))
            return fail(k, STOPPED, "cancelled"), 0;
    }
    k->next_event = k->next_checkpoint < k->next_progress ? k->next_checkpoint : k->next_progress;
    if (k->next_event > k->next_section) k->next_event = k->next_section;
    if (k->next_event > LAST_STEP) k->next_event = LAST_STEP;
    return 1;
}

INLINE void start_instance(struct kernel *k, struct frame *f, u32 stretch, u32 step) {
    u32 instance = k->instance++;
    f->last_instance = instance;
    k->counts[stretch]++;
    column_u32(&k->stretch, stretch);
    column_u32(&k->first, step + 1);
    column_u32(&k->activation, f->activation);
    column_u32(&k->control, f->control);
    if (instance % 64 == 0) {
        u64 links = column_bytes(&k->links) / 4;
        memcpy(column_add(&k->linkbase, 8), &links, 8);
    }
    /* An instance that a signal handler jumped out of has entries for steps that did not run. */
    u64 known = step / 64ull + 1;
    if (UNLIKELY(instance && column_bytes(&k->instmap) / 4 > known))
        column_cut(&k->instmap, 4 * known);
    /* step 64*k of this instance, k = 1, 2, ..; k = 0 stands for before the first */
    u32 last = step + k->t->stretches[stretch].n_ops;
    for (u32 n = instance ? last / 64 - step / 64 : last / 64 + 1; UNLIKELY(n); n--)
        column_u32(&k->instmap, instance);
}

#define V(v) (base[(v) >> 31][(v) & 0x7fffffffu])
#define ROOM(n) if (UNLIKELY((u64)(end - p) < (u64)(n))) goto cut
#define LINKED(link) do { if (recording) column_u32(&k->links, link); } while (0)
#define SAVE() (k->p = p, k->step = step)
#define FRAME() (f = top_frame(k), slots = f->slots, local = f->local, definer = f->definer, base[0] = slots)

#define LOAD_CASE(N, T)                                                                            \
    case LOAD##N: {                                                                                \
        T v, had, known;                                                                           \
        ROOM(N);                                                                                   \
        memcpy(&v, p, N);                                                                          \
        if (recording) {                                                                           \
            u64 address = V(o->a);                                                                 \
            u32 at = address & (PAGE - 1), link;                                                   \
            struct bytes *b = at <= PAGE - N ? memory_page(&k->memory, address) : NULL;            \
            if (b && (memcpy(&had, b->data + at, N), memcpy(&known, b->known + at, N), had == v) && \
                known == (T)0x0101010101010101ull && same##N(b->definer + at)) {                   \
                link = b->definer[at];                                                             \
                if (UNLIKELY(is_copy(k, link))) add_copied(k, address, N, step);                   \
            } else                                                                                 \
                link = memory_link(k, address, p, N, step);                                        \
            LINKED(link);                                                                          \
        }                                                                                          \
        slots[o->dst] = v;                                                                         \
        p += N;                                                                                    \
        goto next;                                                                                 \
    }

#define STORE_CASE(N, T)                                                                           \
    case STORE##N: {                                                                               \
        T v = (T)V(o->a), known = (T)0x0101010101010101ull;                                        \
        u64 address = V(o->b);                                                                     \
        if (UNLIKELY(p == end) && k->crashed && k->crash - address < N) goto cut;                  \
        if (!recording) goto next;                                                                 \
        u32 at = address & (PAGE - 1);                                                             \
        struct bytes *b = at <= PAGE - N ? memory_page(&k->memory, address) : NULL;                \
        if (b) {                                                                                   \
            memcpy(b->data + at, &v, N);                                                           \
            memcpy(b->known + at, &known, N);                                                      \
            for (int i = 0; i < N; i++) b->definer[at + i] = step;                                 \
        } else                                                                                     \
            memory_store(&k->memory, address, (const u8 *)&v, N, step);                            \
        add_write(k, address, N, step);                                                            \
        goto next;                                                                                 \
    }

#define LLOAD_CASE(N, T)                                                                           \
    case LLOAD##N: {                                                                               \
        T v;                                                                                       \
        memcpy(&v, local + o->b, N);                                                               \
        slots[o->dst] = v;                                                                         \
        LINKED(same##N(definer + o->b) ? definer[o->b] : local_link(k, definer + o->b, N));        \
        goto next;                                                                                 \
    }

#define LSTORE_CASE(N, T)                                                                          \
    case LSTORE##N: {                                                                              \
        T v = (T)V(o->a);                                                                          \
        memcpy(local + o->b, &v, N);                                                               \
        if (recording) for (int i = 0; i < N; i++) definer[o->b + i] = step;                       \
        goto next;                                                                                 \
    }

/* Return the next place where a signal handler jumped out, or the end of the log; note the fault
   that happened there. */
static const u8 *next_jump(struct kernel *k, const u8 *after) {
    for (u64 i = 0; i < k->n_jumps; i++)
        if (k->jumps[i].offset >= (u64)(after - k->log)) {
            k->crashed = k->jumps[i].fault != NO_FAULT;
            k->crash = k->jumps[i].fault;
            return k->log + k->jumps[i].offset;
        }
    k->crashed = k->killed;
    k->crash = k->killed_at;
    return k->end;
}

/* The ops of this stretch from `o` on did not run.  Give each its entry in `links`, so that the
   number of links of an instance follows from its stretch. */
static void pad_links(struct kernel *k, const struct op *o, u32 stretch) {
    const struct stretch *s = &k->t->stretches[stretch];
    for (; o < &k->ops[s->first_op + s->n_ops]; o++)
        if (o->flags & LINK) column_u32(&k->links, 0);
}

INLINE void run(struct kernel *k, const int recording, int resuming) {
    const struct tables *t = k->t;
    const u8 *p = k->p, *end = next_jump(k, k->p);
    const u64 *base[2] = {NULL, t->constants};
    const struct op *o = NULL;
    struct frame *f = NULL;
    u64 *slots = NULL;
    u8 *local = NULL;
    u32 *definer = NULL, step = k->step, target, stretch;

    if (resuming) {
        FRAME();
        stretch = f->stretch;
        goto start;
    }

outside: /* no activation: the next item begins one */
    if (p == end && end != k->end) {
        SAVE();
        return damaged(k, p, "a signal handler jumped, but no function was running");
    }
    if (p == end) goto ended;
    SAVE();
    if (*p == 3) {
        if (!read_effect(k, 0, recording)) return;
        p = k->p;
        goto outside;
    }
    if (*p != 0) return damaged(k, p, "no function is entered");

entry:
    target = NONE;
quiet: /* enter `target` without an ENTRY, or the function that the ENTRY names */
    SAVE();
    if (!enter(k, target, recording)) return;
    p = k->p;
    FRAME();
    stretch = f->stretch;
    goto start;

jump: /* op `o` goes to `target` */
    if (t->blocks[target].flags) {
        if (t->blocks[target].flags & LANDING) {
            SAVE();
            return damaged(k, p, "a branch goes to a landing pad");
        }
        u32 wide = t->functions[f->function].flags & FWIDE ? 2 : 1;
        if ((u64)(end - p) < wide) goto ended_early;
        u32 logged = wide == 2 ? p[0] | (u32)p[1] << 8 : p[0];
        if (UNLIKELY(logged != target - t->functions[f->function].first_block)) {
            SAVE();
            target = other_target(k, &t->ops[o - k->ops], target, logged, step);
            if (target == NONE) return damaged(k, p, "no branch goes to this block");
        }
        p += wide;
    }
block:
    f->from = f->block;
    f->block = target;
    stretch = t->blocks[target].first_stretch;
    if (recording) {
        while (k->n_decisions > f->decisions && k->decisions[k->n_decisions - 1].ipdom == target)
            k->n_decisions--;
        f->control = k->n_decisions > f->decisions ? k->decisions[k->n_decisions - 1].step : f->entered_by;
    }
start:
    f->stretch = stretch;
    if (p != k->quiet_at) {
        k->quiet_at = p;
        k->quiet_since = step;
    } else if (UNLIKELY(step - k->quiet_since > QUIET)) {
        SAVE();
        return damaged(k, p, "too many ops run without a byte of log");
    }
    if (recording && UNLIKELY(step >= k->next_event)) {
        SAVE();
        if (!event(k)) return;
    }
    if (recording) start_instance(k, f, stretch, step);
    o = &k->ops[t->stretches[stretch].first_op];
    goto execute;

checked:
    if (UNLIKELY(o->flags & CHECKED)) {
        u32 size = check_result(k, o, slots + o->dst, p, step);
        if (!size) goto cut;
        p += size;
    }
next:
    if (!recording && step >= k->window->from)
        note_result(k, slots + o->dst, result_slots(t, &t->ops[o - k->ops]), step);
    o++;
execute:
    step++;
    if (!recording) {
        if (step >= k->window->to) {
            step--;
            SAVE();
            return;
        }
        if (step >= k->window->from) note_before(k, f, &t->ops[o - k->ops], p, step);
    }
    switch (o->code) {
    LOAD_CASE(1, u8) LOAD_CASE(2, u16) LOAD_CASE(4, u32) LOAD_CASE(8, u64)
    STORE_CASE(1, u8) STORE_CASE(2, u16) STORE_CASE(4, u32) STORE_CASE(8, u64)
    LLOAD_CASE(1, u8) LLOAD_CASE(2, u16) LLOAD_CASE(4, u32) LLOAD_CASE(8, u64)
    LSTORE_CASE(1, u8) LSTORE_CASE(2, u16) LSTORE_CASE(4, u32) LSTORE_CASE(8, u64)
    case NOP: goto next;
    case ADD32: slots[o->dst] = (u32)(V(o->a) + V(o->b)); goto next;
    case ADD64: slots[o->dst] = V(o->a) + V(o->b); goto next;
    case SUB32: slots[o->dst] = (u32)(V(o->a) - V(o->b)); goto next;
    case SUB64: slots[o->dst] = V(o->a) - V(o->b); goto next;
    case MOVE1: slots[o->dst] = V(o->a); goto next;
    case SEXT32: slots[o->dst] = (u64)(i64)(i32)V(o->a); goto next;
    case ICMP32: slots[o->dst] = (u64)compare(o->c, V(o->a), V(o->b), 32); goto next;
    case ICMP64: slots[o->dst] = (u64)compare(o->c, V(o->a), V(o->b), 64); goto next;
    case GEP1: {
        const u32 *x = &t->extras[o->x];
        u64 scale = x[3] | (u64)x[4] << 32;
        slots[o->dst] = V(o->a) + (o->c == NONE ? 0 : t->constants[o->c]) + V(x[1]) * scale;
        goto next;
    }
    case ADD: slots[o->dst] = mask(V(o->a) + V(o->b), o->bits); goto checked;
    case SUB: slots[o->dst] = mask(V(o->a) - V(o->b), o->bits); goto checked;
    case MUL: slots[o->dst] = mask(V(o->a) * V(o->b), o->bits); goto checked;
    case UDIV: case SDIV: case UREM: case SREM:
        if (p == end && k->crashed && traps(o->code, V(o->a), V(o->b), o->bits)) goto cut;
        slots[o->dst] = divide(o->code, V(o->a), V(o->b), o->bits);
        goto checked;
    case SHL: case LSHR: case ASHR:
        slots[o->dst] = shift(o->code, V(o->a), V(o->b), o->bits);
        goto checked;
    case AND: slots[o->dst] = V(o->a) & V(o->b); goto checked;
    case OR: slots[o->dst] = V(o->a) | V(o->b); goto checked;
    case XOR: slots[o->dst] = V(o->a) ^ V(o->b); goto checked;
    case ICMP: slots[o->dst] = (u64)compare(o->c, V(o->a), V(o->b), o->bits); goto checked;
    case FADD: case FSUB: case FMUL: case FDIV: case FREM: case COPYSIGN:
        slots[o->dst] = float_binary(o, V(o->a), V(o->b));
        goto checked;
    case FNEG: case FABS: case SQRT: case FLOOR: case CEIL: case TRUNCF: case RINT:
        slots[o->dst] = float_unary(o, V(o->a));
        goto checked;
    case FCMP:
        slots[o->dst] = (u64)(o->bits == 32
            ? compare_float(o->c, as_float(V(o->a)), as_float(V(o->b)))
            : compare_float(o->c, as_double(V(o->a)), as_double(V(o->b))));
        goto checked;
    case TRUNC: slots[o->dst] = mask(V(o->a), o->bits); goto checked;
    case SEXT: slots[o->dst] = mask((u64)sext(V(o->a), o->c), o->bits); goto checked;
    case MOVE:
        memmove(slots + o->dst, &V(o->a), 8ul * o->x);
        if (o->x == 1 && o->bits) slots[o->dst] = mask(slots[o->dst], o->bits);
        goto checked;
    case EXTRACT:
        memmove(slots + o->dst, &V(o->a) + o->c, 8ul * o->x);
        goto checked;
    case INSERT:
        memmove(slots + o->dst, &V(o->a), 8ul * o->x);
        memmove(slots + o->dst + o->c, &V(o->b), 8ul * o->bits);
        goto checked;
    case SELECT:
        memmove(slots + o->dst, V(o->a) & 1 ? &V(o->b) : &V(o->c), 8ul * o->x);
        goto checked;
    case FPTRUNC: slots[o->dst] = of_float((float)as_double(V(o->a))); goto checked;
    case FPEXT: slots[o->dst] = of_double((double)as_float(V(o->a))); goto checked;
    case FPTOUI: case FPTOSI: slots[o->dst] = to_integer(o, V(o->a)); goto checked;
    case UITOFP: case SITOFP: slots[o->dst] = to_float(o, V(o->a)); goto checked;
    case OVERFLOWING: overflowing(o, V(o->a), V(o->b), slots + o->dst); goto checked;
    case ABS: case CTPOP: case CTLZ: case CTTZ: case BSWAP: case BITREVERSE:
        slots[o->dst] = count(o, V(o->a));
        goto checked;
    case SMAX: case SMIN: case UMAX: case UMIN:
        slots[o->dst] = choose(o, V(o->a), V(o->b));
        goto checked;
    case FSHL: case FSHR:
        slots[o->dst] = funnel(o, V(o->a), V(o->b), V(o->c));
        goto checked;
    case GEPC: slots[o->dst] = V(o->a) + t->constants[o->c]; goto checked;
    case GEP: slots[o->dst] = gep(k, f, o); goto checked;
    case PHI: {
        u32 n = evaluate_phis(k, f, o);
        if (!n) {
            step--;
            SAVE();
            return damaged(k, p, "a block is entered from a block that is not its predecessor");
        }
        for (; n; n--) {
            if (o->flags & CHECKED) {
                u32 size = check_result(k, o, slots + o->dst, p, step);
                if (!size) goto cut;
                p += size;
            }
            if (n == 1) break;
            if (!recording && step >= k->window->from)
                note_result(k, slots + o->dst, t->extras[o->x + 1], step);
            o++;
            step++;
            if (!recording && step >= k->window->to) {
                step--;
                SAVE();
                return;
            }
            if (!recording && step >= k->window->from) note_before(k, f, &t->ops[o - k->ops], p, step);
        }
        goto next;
    }

    case LOAD: {
        u32 size = logged_bytes(t, o->c, o->x);
        ROOM(size);
        if (recording) {
            u32 link = load_link(k, o, V(o->a), p);
            if (o->flags & LINK) {
                LINKED(link);
                add_copied_runs(k, V(o->a), o->x, step);
            }
        }
        p += unpack(t, slots + o->dst, result_slots(t, o), o->c, o->x, p);
        goto next;
    }
    case STORE:
        if (UNLIKELY(p == end) && k->crashed && k->crash - V(o->b) < o->x) goto cut;
        if (recording) store(k, o, V(o->b), &V(o->a), step);
        goto next;
    case LLOAD:
        if (o->flags & CHECKED) ROOM(o->x); /* else it did not run and has no link */
        if (o->flags & CORRECTED) {
            u32 size = logged_bytes(t, o->c, o->x);
            ROOM(size);
            p += unpack(t, slots + o->dst, result_slots(t, o), o->c, o->x, p);
            if (!o->c) memcpy(local + o->b, p - size, o->x);
        } else
            local_load(k, o, slots + o->dst, local);
        if (recording && o->flags & LINK) {
            LINKED(local_load_link(k, o, definer));
            add_copied_runs(k, o->b, o->x, step);
        }
        goto checked;
    case LSTORE:
        local_store(k, o, f, &V(o->a), step);
        goto next;
    case ALLOCA:
        ROOM(8);
        memcpy(slots + o->dst, p, 8);
        p += 8;
        goto next;
    case LALLOCA:
        memset(local + o->b, 0, o->x);
        if (recording) memset(definer + o->b, 0, 4ul * o->x);
        goto next;
    case COPY: case FILL: {
        u64 to = V(o->a), size = V(o->c);
        if (UNLIKELY(p == end) && k->crashed &&
            (k->crash - to < size || (o->code == COPY && k->crash - V(o->b) < size))) goto cut;
        if (size > 0xffffffffu) {
            if (p == end) goto cut;
            step--;
            SAVE();
            return damaged(k, p, "too many bytes are copied or filled");
        }
        if (recording) {
            k->step = step;
            if (o->code == COPY) copy_bytes(k, to, V(o->b), size, step);
            else fill_bytes(k, to, (u8)V(o->b), size, step);
        }
        goto next;
    }
    case LFILL:
        memset(local + o->b, (u8)V(o->a), o->x);
        if (recording) for (u32 i = 0; i < o->x; i++) definer[o->b + i] = step;
        goto next;
    case LCOPYOUT: {
        u64 address = V(o->a);
        if (UNLIKELY(p == end) && k->crashed && k->crash - address < o->x) goto cut;
        if (recording) {
            if (o->flags & LINK) {
                LINKED(local_link(k, definer + o->b, o->x));
                local_copy(k, address, o->b, o->x, step);
            }
            memory_store(&k->memory, address, local + o->b, o->x, step);
            add_write(k, address, o->x, step);
        }
        goto next;
    }
    case LCOPY:
        memmove(local + o->b, local + o->c, o->x);
        if (recording) {
            if (o->flags & LINK) {
                LINKED(local_link(k, definer + o->c, o->x));
                local_copy(k, o->b, o->c, o->x, step);
            }
            for (u32 i = 0; i < o->x; i++) definer[o->b + i] = step;
        }
        goto next;
    case RMW: {
        u64 address = V(o->a);
        ROOM(o->bits);
        if (recording) {
            u32 link = memory_link(k, address, p, o->x, step);
            if (o->flags & LINK) LINKED(link);
            if (o->bits == o->x || p[o->x]) { /* a failed cmpxchg writes nothing */
                memory_write(&k->memory, address, o->x, step);
                add_write(k, address, o->x, step);
            }
        }
        u32 n = result_slots(t, o);
        unpack(t, slots + o->dst, n, 0, o->x, p);
        if (o->bits > o->x) slots[o->dst + n - 1] = p[o->x];
        p += o->bits;
        goto next;
    }
    case OPAQUE: {
        u32 size = logged_bytes(t, o->b, o->bits);
        ROOM(size);
        if (o->c) unpack(t, slots + o->dst, o->c, o->b, o->bits, p);
        p += size;
        goto next;
    }
    case LANDINGPAD:
        ROOM(o->bits);
        if (o->c) unpack(t, slots + o->dst, o->c, 0, o->bits, p);
        p += o->bits;
        goto next;
    case VASTART:
        if (recording) {
            fill_bytes(k, V(o->a), -1, o->x, step);
            memory_variadic(&k->memory, V(o->a), o->x, f->entered_by, k->n_frames);
        }
        goto next;

    case BR: target = o->a; goto jump;
    case CBR: target = V(o->a) & 1 ? o->b : o->c; goto decide;
    case SWITCH:
        if (o->bits) {
            target = switch_target(t, o, V(o->a));
            goto decide;
        } /* more than 64 bits: not computable */
        /* fall through */
    case INDIRECTBR: { /* the address of a label is not known; the log names the block */
        u32 wide = t->functions[f->function].flags & FWIDE ? 2 : 1;
        if ((u64)(end - p) < wide) goto ended_early;
        SAVE();
        target = other_target(k, o, NONE, wide == 2 ? p[0] | (u32)p[1] << 8 : p[0], step);
        if (target == NONE) return damaged(k, p, "no branch goes to this block");
        goto decide;
    }
    case RET: {
        const u64 *value = o->a == NONE ? NULL : &V(o->a);
        if (recording) end_activation(k, f, step, 0);
        SAVE();
        struct frame *caller = k->n_frames > 1 ? f - 1 : NULL;
        if (caller && f->by_call) {
            const struct op *call = &k->ops[caller->call_op];
            const u32 *x = &t->extras[call->x];
            if (x[X_FLAGS] & SURE) {
                u32 had = value ? o->x : 0, n = x[X_SLOTS];
                if (call->dst != NONE) {
                    u64 *to = caller->slots + call->dst;
                    for (u32 i = 0; i < n; i++) to[i] = i < had ? value[i] : 0;
                    if (!recording) note_result(k, to, n, caller->call);
                }
                pop_frame(k);
                FRAME();
                goto returned;
            }
        }
        pop_frame(k);
        if (!caller) goto outside;
        FRAME();
        goto called;
    }
    case RESUME: /* the log continues with a landing in an outer activation */
        if (recording) end_activation(k, f, 0, UNWOUND);
        SAVE();
        k->resumed = step;
        pop_frame(k);
        if (!k->n_frames) goto outside;
        FRAME();
        goto called;
    case UNREACHABLE:
        if (p == end) goto cut;
        step--;
        SAVE();
        return damaged(k, p, "an unreachable op is reached");
    case CALL:
        f->call = step;
        f->call_op = (u32)(o - k->ops);
        f->direct = 0;
        if (t->extras[o->x + X_FLAGS] & QUIET_CALL) {
            target = t->extras[o->x + X_SITE];
            goto quiet;
        }
        goto called;
    default: /* check.c accepts no other code */
        step--;
        SAVE();
        return damaged(k, p, "unknown op");
    }

decide: /* a branch with several targets controls what runs until its ipdom */
    if (recording && k->prepared->branches[f->block] &&
        !push_decision(k, step, t->blocks[f->block].ipdom)) {
        SAVE();
        return out_of_memory(k);
    }
    goto jump;

called: /* within a call: what is the next item? */
    SAVE();
    {
        const u32 *x = &t->extras[k->ops[f->call_op].x];
        if (p == end && end != k->end) goto abrupt;
        if (p == end) {
            if (x[X_FLAGS] & SURE && !f->direct) goto ended_early;
            goto ended;
        }
        switch (*p) {
        case 0:
            goto entry;
        case 1:
            k->resumed = 0;
            if (x[X_FLAGS] & SURE) return damaged(k, p, "a call returns that was not made");
            if (!take_result(k, f, f->call_op, 1)) return;
            p = k->p;
            if (!f->direct) note_external(k, f, x[X_FLAGS]);
            goto returned;
        case 2:
            if (!land(k, recording, &target)) return;
            p = k->p;
            FRAME();
            if (target != NONE) goto block;
            stretch = f->stretch + 1;
            goto start;
        case 3:
            if (!read_effect(k, f->call, recording)) return;
            p = k->p;
            goto called;
        default:
            return damaged(k, p, "no item begins with this byte");
        }
    }

returned:
    o = &k->ops[f->call_op];
    if (t->extras[o->x + X_FLAGS] & INVOKE) {
        if (recording && !push_decision(k, f->call, t->blocks[f->block].ipdom)) {
            SAVE();
            return out_of_memory(k);
        }
        target = t->extras[o->x + X_NORMAL];
        goto jump;
    }
    stretch = f->stretch + 1;
    goto start;

abrupt: /* a signal handler jumped: after the last step, control is elsewhere */
    SAVE();
    if (p != end || *p != 2) return damaged(k, p, "a signal handler jumped, but no landing follows");
    end = next_jump(k, p + 1);
    f->call = step;
    if (!land(k, recording, &target)) return;
    p = k->p;
    FRAME();
    if (target != NONE) goto block;
    stretch = f->stretch + 1;
    goto start;

cut: /* the bytes of op `o` are missing: it did not run */
    if (end != k->end) {
        step--;
        if (recording) pad_links(k, o, stretch);
        goto abrupt;
    }
    k->meta->stop_op = (u32)(o - k->ops);
    k->meta->stop_address = address_of(k, f, &t->ops[o - k->ops]);
    step--;
ended_early:
    if (end != k->end) goto abrupt;
    SAVE();
    fail(k, CUT, "the log ends before the run does");
    return;
ended:
    SAVE();
}

OUTLINE void run_recording(struct kernel *k, int resuming) { run(k, 1, resuming); }
OUTLINE void run_window(struct kernel *k, int resuming) { run(k, 0, resuming); }

#endif
