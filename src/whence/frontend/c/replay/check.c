/* Are the tables sound?  After this check the interpreter trusts every index in them; only the
   log is checked while it is read. */
#include "tables.h"

#include <stdio.h>

struct checker {
    const struct tables *t;
    const struct function *f;
    const char *wrong; /* the first error found, or NULL */
    u64 ops;           /* ops of the function in its stretches */
};

static void need(struct checker *c, int holds, const char *wrong) {
    if (!holds && !c->wrong) c->wrong = wrong;
}

static int inside(u64 first, u64 n, u64 total) { return first <= total && n <= total - first; }

static void operand(struct checker *c, u32 v, u64 slots) {
    if (v & CONSTANT)
        need(c, v != NONE && inside(v & ~CONSTANT, slots, c->t->n_constants), "constant");
    else
        need(c, inside(v, slots, c->f->n_slots), "slot");
}

static void block(struct checker *c, u32 b) {
    need(c, b >= c->f->first_block && b - c->f->first_block < c->f->n_blocks, "block");
}

static void local(struct checker *c, u32 offset, u32 bytes) {
    need(c, inside(offset, bytes, c->f->local_bytes), "local memory");
}

static int extras(struct checker *c, u64 at, u64 n) {
    int ok = inside(at, n, c->t->n_extras);
    need(c, ok, "extras");
    return ok;
}

static u64 slots_of(u64 bytes) { return (bytes + 7) / 8; }

/* A layout describes the leaves of an aggregate: n, then n x (offset in memory, size). */
static u64 layout(struct checker *c, u32 at, u64 bytes) {
    if (!at) return slots_of(bytes);
    if (!extras(c, at, 1)) return 0;
    u64 n = c->t->extras[at];
    need(c, n <= 65536, "layout");
    if (!extras(c, at + 1, 2 * n)) return 0;
    u64 slots = 0;
    for (u64 i = 0; i < n; i++) {
        const u32 *leaf = &c->t->extras[at + 1 + 2 * i];
        need(c, leaf[1] <= 65536 && inside(leaf[0], leaf[1], bytes), "layout");
        slots += slots_of(leaf[1]);
    }
    return slots;
}

static u32 leaf_slots(const struct tables *t, u32 layout) {
    u64 slots = 0;
    for (u32 i = 0; i < t->extras[layout]; i++) slots += slots_of(t->extras[layout + 2 + 2 * i]);
    return (u32)slots;
}

u32 result_slots(const struct tables *t, const struct op *o) {
    switch (o->code) {
    case NOP: case STORE: case LSTORE: case LALLOCA: case COPY: case FILL: case LFILL:
    case LCOPYOUT: case LCOPY: case CALL: case RET: case BR: case CBR: case SWITCH:
    case INDIRECTBR: case UNREACHABLE: case VASTART: case RESUME:
        return 0;
    case MOVE: case SELECT: case INSERT: case EXTRACT:
        return o->x;
    case LOAD: case LLOAD:
        return o->c ? leaf_slots(t, o->c) : (u32)slots_of(o->x);
    case PHI:
        return t->extras[o->x + 1];
    case OPAQUE: case LANDINGPAD:
        return o->c;
    case RMW:
        return (u32)slots_of(o->x) + (o->bits > o->x);
    case OVERFLOWING:
        return 2;
    default:
        return 1;
    }
}

static void check_call(struct checker *c, const struct op *o) {
    if (!extras(c, o->x, X_LIST)) return;
    const u32 *x = &c->t->extras[o->x];
    if (!(x[X_FLAGS] & ASM) || x[X_CALLEE] != NONE) operand(c, x[X_CALLEE], 1);
    if (x[X_FLAGS] & INVOKE) block(c, x[X_NORMAL]);
    if (x[X_FLAGS] & QUIET_CALL)
        need(c, x[X_FLAGS] & SURE && x[X_SITE] < c->t->n_functions &&
                 c->t->functions[x[X_SITE]].flags & FQUIET, "callee");
    if (extras(c, o->x + X_LIST, 3ull * x[X_ARGS]))
        for (u32 i = 0; i < x[X_ARGS]; i++)
            if (x[X_LIST + 3 * i] != NONE) operand(c, x[X_LIST + 3 * i], x[X_LIST + 3 * i + 1]);
    u64 slots = 0;
    if (o->c) {
        u64 logged = 0;
        slots = layout(c, o->c, ~0ull);
        for (u64 i = 0; !c->wrong && i < c->t->extras[o->c]; i++) logged += c->t->extras[o->c + 2 + 2 * i];
        need(c, logged == x[X_BYTES], "layout of a result");
    } else
        slots = slots_of(x[X_BYTES]);
    need(c, slots <= x[X_SLOTS], "slots of a result");
    need(c, x[X_SLOTS] < 1u << 16, "slots of a result");
    if (o->dst != NONE) need(c, inside(o->dst, x[X_SLOTS], c->f->n_slots), "slot");
}

static void check_list(struct checker *c, u64 at) { /* n, then n x (operand, slots) */
    if (!extras(c, at, 1)) return;
    u64 n = c->t->extras[at];
    if (!extras(c, at + 1, 2 * n)) return;
    for (u64 i = 0; i < n; i++)
        if (c->t->extras[at + 1 + 2 * i] != NONE)
            operand(c, c->t->extras[at + 1 + 2 * i], c->t->extras[at + 2 + 2 * i]);
}

static void check_gep(struct checker *c, const struct op *o) {
    if (o->c != NONE) need(c, o->c < c->t->n_constants, "constant");
    if (!extras(c, o->x, 1)) return;
    u64 n = c->t->extras[o->x];
    if (!extras(c, o->x + 1ull, 4 * n)) return;
    for (u64 i = 0; i < n; i++) {
        const u32 *index = &c->t->extras[o->x + 1 + 4 * i];
        operand(c, index[0], 1);
        need(c, index[1] >= 1 && index[1] <= 64, "width of an index");
    }
}

static void check_phi(struct checker *c, const struct op *o) {
    if (!extras(c, o->x, 2)) return;
    const u32 *x = &c->t->extras[o->x];
    need(c, x[1] < 1u << 16, "slots of a phi");
    if (!extras(c, o->x + 2ull, 2ull * x[0])) return;
    for (u32 i = 0; i < x[0]; i++) {
        block(c, x[2 + 2 * i]);
        operand(c, x[3 + 2 * i], x[1]);
    }
}

static void check_targets(struct checker *c, u64 at, u64 first, u64 stride) {
    u64 n = c->t->extras[at];
    if (!extras(c, at + 1, n * stride)) return;
    for (u64 i = 0; i < n; i++) block(c, c->t->extras[at + 1 + i * stride + first]);
}

static void check_op(struct checker *c, const struct op *o) {
    const struct tables *t = c->t;
    int wide = o->code == MOVE || o->code == SELECT || o->code == INSERT || o->code == EXTRACT;
    need(c, o->code < N_CODES, "code");
    need(c, !wide || o->x < 1u << 16, "slots");
    need(c, !(o->flags & LINK) || o->code == LOAD || o->code == LLOAD || o->code == LCOPYOUT ||
                o->code == LCOPY || o->code == RMW, "link of an op that reads no memory");
    switch (o->code) {
    case NOP: case BR: case UNREACHABLE: case LANDINGPAD:
        if (o->code == BR) block(c, o->a);
        break;
    case ADD: case SUB: case MUL: case UDIV: case SDIV: case UREM: case SREM: case SHL:
    case LSHR: case ASHR: case AND: case OR: case XOR: case OVERFLOWING: case SMAX: case SMIN:
    case UMAX: case UMIN: case ICMP:
        need(c, o->bits >= 1 && o->bits <= 64, "width");
        operand(c, o->b, 1);
        operand(c, o->a, 1);
        break;
    case FADD: case FSUB: case FMUL: case FDIV: case FREM: case FCMP: case COPYSIGN:
        need(c, o->bits == 32 || o->bits == 64, "width");
        operand(c, o->b, 1);
        operand(c, o->a, 1);
        break;
    case FSHL: case FSHR:
        operand(c, o->b, 1);
        operand(c, o->c, 1);
        operand(c, o->a, 1);
        need(c, o->bits >= 1 && o->bits <= 64, "width");
        break;
    case TRUNC: case FPTOUI: case FPTOSI: case ABS: case CTPOP: case CTLZ: case CTTZ: case BSWAP:
    case BITREVERSE: case SEXT: case UITOFP: case SITOFP:
        need(c, o->bits >= 1 && o->bits <= 64, "width");
        if (o->code == SEXT || o->code == UITOFP || o->code == SITOFP)
            need(c, o->c >= 1 && o->c <= 64, "width");
        operand(c, o->a, 1);
        break;
    case FNEG: case FABS: case SQRT: case FLOOR: case CEIL: case TRUNCF: case RINT:
        need(c, o->bits == 32 || o->bits == 64, "width");
        operand(c, o->a, 1);
        break;
    case FPTRUNC: case FPEXT: case VASTART:
        operand(c, o->a, 1);
        break;
    case ALLOCA:
        if (o->a != NONE) operand(c, o->a, 1);
        need(c, o->flags & LOGGED, "alloca that is not logged");
        break;
    case MOVE:
        operand(c, o->a, o->x);
        break;
    case SELECT:
        operand(c, o->a, 1);
        operand(c, o->b, o->x);
        operand(c, o->c, o->x);
        break;
    case GEPC:
        operand(c, o->a, 1);
        need(c, o->c < t->n_constants, "constant");
        break;
    case GEP:
        operand(c, o->a, 1);
        check_gep(c, o);
        break;
    case LOAD:
        need(c, o->flags & LOGGED, "load that is not logged");
        operand(c, o->a, 1);
        need(c, o->x < 1u << 19, "size");
        layout(c, o->c, o->x);
        break;
    case STORE: case LSTORE:
        need(c, o->x < 1u << 19, "size");
        operand(c, o->a, layout(c, o->c, o->x));
        if (o->code == STORE) operand(c, o->b, 1);
        else local(c, o->b, o->x);
        break;
    case LLOAD:
        need(c, o->x < 1u << 19, "size");
        layout(c, o->c, o->x);
        local(c, o->b, o->x);
        break;
    case LALLOCA:
        local(c, o->b, o->x);
        break;
    case LFILL:
        operand(c, o->a, 1);
        local(c, o->b, o->x);
        break;
    case LCOPYOUT:
        operand(c, o->a, 1);
        local(c, o->b, o->x);
        break;
    case LCOPY:
        local(c, o->b, o->x);
        local(c, o->c, o->x);
        break;
    case COPY: case FILL:
        operand(c, o->a, 1);
        operand(c, o->b, 1);
        operand(c, o->c, 1);
        break;
    case CALL:
        check_call(c, o);
        break;
    case PHI:
        check_phi(c, o);
        break;
    case RET:
        if (o->a != NONE) operand(c, o->a, o->x);
        need(c, o->x < 1u << 16, "slots");
        break;
    case CBR:
        operand(c, o->a, 1);
        block(c, o->b);
        block(c, o->c);
        break;
    case SWITCH:
        operand(c, o->a, 1);
        if (!extras(c, o->x, 2)) break;
        block(c, t->extras[o->x]);
        check_targets(c, o->x + 1ull, 2, 3);
        break;
    case INDIRECTBR:
        if (extras(c, o->x, 1)) check_targets(c, o->x, 0, 1);
        break;
    case OPAQUE:
        check_list(c, o->x);
        if (o->b) layout(c, o->b, ~0ull);
        break;
    case RMW:
        operand(c, o->a, 1);
        need(c, o->x <= 16 && (o->bits == o->x || o->bits == o->x + 1u), "size");
        check_list(c, o->c);
        break;
    case INSERT:
        operand(c, o->a, o->x);
        operand(c, o->b, o->bits);
        need(c, inside(o->c, o->bits, o->x), "slots");
        break;
    case EXTRACT:
        operand(c, o->a, (u64)o->c + o->x);
        break;
    case RESUME:
        break;
    }
    if (c->wrong) return;
    u32 slots = result_slots(t, o);
    if (o->code == OPAQUE || o->code == LANDINGPAD || o->code == RMW) {
        u64 logged = o->code == OPAQUE && o->b ? leaf_slots(t, o->b) : slots_of(o->bits);
        need(c, o->flags & LOGGED && logged <= slots, "logged result");
    }
    if (slots) need(c, inside(o->dst, slots, c->f->n_slots), "slot of the result");
    need(c, !(o->flags & CHECKED) || slots == 1 || o->code == OVERFLOWING,
         "check of a result in several slots");
}

static int ends_block(const struct tables *t, const struct op *o) {
    return (o->code >= RET && o->code <= UNREACHABLE) || o->code == RESUME ||
           (o->code == CALL && t->extras[o->x + X_FLAGS] & INVOKE);
}

static void check_stretches(struct checker *c, u32 number) {
    const struct tables *t = c->t;
    const struct block *b = &t->blocks[number];
    u64 first = b->first_stretch, n = b->n_stretches;
    need(c, n > 0 && first >= c->f->first_stretch &&
                inside(first - c->f->first_stretch, n, c->f->n_stretches), "stretches");
    if (b->ipdom != NONE) block(c, b->ipdom);
    for (u64 i = first; i < first + n && !c->wrong; i++) {
        const struct stretch *s = &t->stretches[i];
        need(c, s->block == number && s->n_ops > 0 && s->first_op >= c->f->first_op &&
                    inside(s->first_op - c->f->first_op, s->n_ops, c->f->n_ops), "ops");
        if (c->wrong) return;
        c->ops += s->n_ops;
        u32 links = 0, last = s->first_op + s->n_ops - 1;
        for (u32 k = s->first_op; k <= last && !c->wrong; k++) {
            check_op(c, &t->ops[k]);
            if (c->wrong) return;
            links += !!(t->ops[k].flags & LINK);
            int ends = ends_block(t, &t->ops[k]);
            need(c, ends == (k == last && i == first + n - 1), "end of a block");
            need(c, (t->ops[k].code == CALL || ends) == (k == last), "end of a stretch");
            need(c, t->ops[k].code != PHI || k == s->first_op || t->ops[k - 1].code == PHI, "phi");
        }
        need(c, links == s->n_links, "number of links");
        if (i > first) need(c, s->first_op == s[-1].first_op + s[-1].n_ops, "order of stretches");
    }
}

static void check_function(struct checker *c) {
    const struct tables *t = c->t;
    const struct function *f = c->f;
    need(c, f->n_blocks > 0 && inside(f->first_block, f->n_blocks, t->n_blocks) &&
                inside(f->first_stretch, f->n_stretches, t->n_stretches) &&
                inside(f->first_op, f->n_ops, t->n_ops) &&
                inside(f->first_param, f->n_params, t->n_params) &&
                inside(f->first_site, f->n_sites, t->n_sites) &&
                f->n_slots < CONSTANT && f->local_bytes < 1u << 28, "function");
    if (c->wrong) return;
    need(c, !(t->blocks[f->first_block].flags & (MARKED | LANDING)), "mark of an entry block");
    for (u32 i = 0; i < f->n_params; i++) {
        const struct param *p = &t->params[f->first_param + i];
        need(c, inside(p->slot, p->n_slots, f->n_slots) && p->size <= 8ull * p->n_slots, "parameter");
    }
    for (u32 i = 0; i < f->n_sites; i++) {
        const struct site *s = &t->sites[f->first_site + i];
        if (s->kind == 0) block(c, s->target);
        else need(c, s->target >= f->first_op && s->target - f->first_op < f->n_ops &&
                      t->ops[s->target].code == CALL, "site");
    }
    for (u32 b = 0; b < f->n_blocks && !c->wrong; b++) check_stretches(c, f->first_block + b);
    need(c, c->ops == f->n_ops, "ops outside of stretches");
}

int check_tables(const struct tables *t, char *message, size_t size) {
    u64 ops = 0, blocks = 0;
    for (u64 i = 0; i < t->n_functions; i++) {
        struct checker c = {t, &t->functions[i], NULL, 0};
        check_function(&c);
        ops += c.ops;
        blocks += c.f->n_blocks;
        if (!c.wrong) continue;
        snprintf(message, size, "the tables of function %llu are wrong: %s", (unsigned long long)i, c.wrong);
        return 1;
    }
    if (ops == t->n_ops && blocks == t->n_blocks) return 0;
    snprintf(message, size, "the tables have ops or blocks outside of functions");
    return 1;
}
