/* Which steps does a step depend on?  The closure, in one walk back through the run.

   1. Every dependence except two points back in time.  So a walk from the last step to the first
      meets a step after all steps that depend on it: one pass is enough, without a worklist.
      The two exceptions are (a) the result of a call: its definition, the callee's return, is
      met before the call, see push(); (b) what a call of unrecorded code read after it called
      back: such a mark is `late`, and the walk starts again from there for the steps still to do.
   2. A register that another stretch defines is not searched for.  It is demanded: it is added to
      the pending registers of its activation until the walk meets the defining stretch there.
      A definition dominates its uses, so this is the right instance.  A parameter is pending
      until the first instance of the activation.  Then the definition of the argument is
      demanded in the caller.
   3. Activations nest, so the open ones are a stack, and so is the arena of their pending
      registers: only the top frame demands.
   4. What unrecorded code does depends on what its callbacks returned: a sorted array depends on
      each comparison.  A callback's return belongs to the slice if a later step depends on the
      call; a step that ran before it, in an earlier callback, does not count.  `needed` keeps the
      last step that depends on each such call, so that this holds when the walk starts again.
   5. A branch at b with an untaken side that could have redefined what a load at t read belongs to
      the slice if d < b < t, where d is the definition that the load found.  All loads met so far
      are later than b, so d < b is enough, and the least d of each class of loads (its floor)
      stands for all of them.  For memory that only its own activation can write, the frame keeps
      the floor.
   6. A section of a long run is passed over, without its rows, if nothing that the walk has still to
      meet can lie in it: no marked step, no definition of a pending register, no return of a call
      whose result is pending, no callback's return that may count, no branch to consider.
   7. Who reads bytes that a step copied depends on these bytes of its COPY rows, not on all.  A
      bitmap of the row holds the wanted bytes.  When the walk meets the copy, it marks who wrote
      the corresponding bytes of the source.  All readers are later, as in 1.  The step itself,
      with its operands and whatever else it read, is always in the slice.  For text printed into
      memory, an argument counts only if pieces printed from it have wanted bytes.
      What strdup or realloc returned is the address of the copy, not its bytes. */

#include "slicer_marks.h"

enum { PAGE = 4096 };  /* bytes; where pages are larger, madvise may fail, and nothing is released */
#define EXPORT __attribute__((visibility("default")))

/* --- frames --- */

/* Is the result of the call that entered `act` demanded?  `f` is the caller's frame. */
static int awaited(const walk_t *w, const frame_t *f, const activation_t *act) {
    const slice_t *s = w->s;
    if (!f->pending || !act->call) return 0;
    u64 calling = act->flags & DIRECT ? act->first - 1 : instance_of(s, act->call);
    need(s, calling);
    u32 caller = s->stretch[calling];
    u32 op = s->stretch_first_op[caller] + s->stretch_ops[caller] - 1;
    u32 function = s->activations[f->activation].function;
    return bit(w->arena + f->at, op - s->function_first_op[function]);
}

/* Open activation a, inside the top frame. */
static void push(walk_t *w, u32 a) {
    const slice_t *s = w->s;
    const activation_t *act = &s->activations[a];
    frame_t *parent = w->depth ? &w->frames[w->depth - 1] : NULL;
    u32 trust = parent ? parent->trust : 0;
    if (!trust && s->trusted && s->trusted[act->function]) trust = a;
    if (parent && act->ret && awaited(w, parent, act)) mark(w, act->ret, 0);
    else if (s->data && is_callback(act) && act->ret == w->now && w->needed[act->call] > act->ret)
        mark(w, act->ret, 0);
    w->frames = grown(w, w->frames, &w->frame_room, w->depth + 1, sizeof *w->frames);
    if (w->failed) return;
    w->frames[w->depth++] = (frame_t){.activation = a, .trust = trust, .below = w->used};
}

/* Close the top frame: its pending parameters become demands for the arguments in the caller. */
static void pop(walk_t *w) {
    const slice_t *s = w->s;
    frame_t f = w->frames[--w->depth];
    const activation_t *act = &s->activations[f.activation];
    u64 n = 0;
    if (f.pending) {
        u32 ops = s->function_ops[act->function], params = s->function_params[act->function];
        w->spare = grown(w, w->spare, &w->spare_room, params, sizeof *w->spare);
        if (w->failed) return;
        for (u32 k = 0; k < params; k++)
            if (bit(w->arena + f.at, (u64)ops + k)) w->spare[n++] = k;
    }
    w->used = f.below;
    if (n) need(s, act->first);
    if (n && act->first) need(s, act->first - 1);
    for (u64 j = 0; j < n; j++) {
        mark_for(w, s->first[act->first], act->call, 0);  /* a step of this activation needs it */
        if (!(act->flags & DIRECT) || !act->first) continue;
        u32 caller = s->stretch[act->first - 1];
        u32 op = s->stretch_first_op[caller] + s->stretch_ops[caller] - 1;
        u32 args = s->use_start[op + 1] - s->use_start[op];
        if (w->spare[j] + 1 < args) demand(w, s->use_def[s->use_start[op] + w->spare[j]]);
        else mark(w, act->call, 1);
    }
}

/* Close the frames of the activations that began after instance i. */
static void close_after(walk_t *w, u64 i) {
    const activation_t *activations = w->s->activations;
    while (w->depth && !w->failed && activations[w->frames[w->depth - 1].activation].first > i) pop(w);
}

/* Make the activation of instance i the top frame. */
static void move_to(walk_t *w, u64 i) {
    const slice_t *s = w->s;
    u32 a = s->activation[i];
    close_after(w, i);
    u32 top = w->depth ? w->frames[w->depth - 1].activation : 0;
    u64 n = 0;
    for (; a && a != top; a = s->activations[a].parent) {
        w->spare = grown(w, w->spare, &w->spare_room, n + 1, sizeof *w->spare);
        if (w->failed) return;
        w->spare[n++] = a;
    }
    while (n && !w->failed) push(w, w->spare[--n]);
}

/* --- untaken sides of branches --- */

/* Could the side of edge e have redefined what a load met so far read? */
static int open_edge(const slice_t *s, u32 e, u32 branch) {
    u32 from = s->edge_class_start[e], to = s->edge_class_start[e + 1];
    if (from == to) return 0;
    if (s->floors[s->edge_class[from + s->witness[e]]] < branch) return 1;
    for (u32 k = from; k < to; k++)
        if (s->floors[s->edge_class[k]] < branch) { s->witness[e] = k - from; return 1; }
    return 0;
}

/* The same, for loads of memory that only this activation can write. */
static int open_private(const walk_t *w, u32 e, u32 branch) {
    const slice_t *s = w->s;
    const frame_t *f = &w->frames[w->depth - 1];
    if (!f->classes) return 0;
    const u32 *floors = (const u32 *)(w->arena + f->floors);
    for (u32 k = s->edge_private_start[e]; k < s->edge_private_start[e + 1]; k++)
        if (floors[s->edge_private[k]] < branch) return 1;
    return 0;
}

/* Note that a load of a class met so far found the definition `least`. */
static void lower_floor(walk_t *w, u32 class, u32 least) {
    const slice_t *s = w->s;
    if (class == NONE) return;
    u32 *floor = &s->floors[class];
    if (class >= s->n_classes) {
        frame_t *f = &w->frames[w->depth - 1];
        const u32 *first = &s->private_first[s->activations[f->activation].function];
        if (!f->classes) {
            f->floors = taken(w, (first[1] - first[0] + 1) / 2, 0xff);
            if (w->failed) return;
            f->classes = first[1] - first[0];
        }
        floor = (u32 *)(w->arena + f->floors) + (class - s->n_classes - first[0]);
    }
    if (least < *floor) *floor = least;
}

/* Mark the branch that ends instance i if it is a guard, or could have changed a load met. */
static void consider_branch(walk_t *w, u64 i, u32 branch) {
    const slice_t *s = w->s;
    u32 stretch = s->stretch[i];
    if (s->notes[stretch] & GUARD && branch < w->greatest) mark(w, branch, 0);
    if (!(s->notes[stretch] & EDGES) || bit(s->in, branch)) return;
    if (i + 1 < s->n_instances) need(s, i + 1);
    u32 next = i + 1 < s->n_instances ? s->stretch_block[s->stretch[i + 1]] : NONE;
    for (u32 k = s->stretch_edge_start[stretch]; k < s->stretch_edge_start[stretch + 1]; k++) {
        u32 e = s->stretch_edge[k];
        if (s->edge_block[e] == next) continue;
        if (open_edge(s, e, branch) || open_private(w, e, branch)) { mark(w, branch, 0); return; }
    }
}

/* --- following one step --- */

/* Mark who wrote the bytes that a load read. */
static void follow_link(walk_t *w, u32 step, u32 op, u64 at) {
    const slice_t *s = w->s;
    if (at >= s->n_links) return;
    u32 link = s->links[at], least = link;
    /* The rows of a copy of frame-local bytes hold the same as its link, byte by byte. */
    int data = s->data && !bit(w->copies, step);
    while (w->copied_at && s->copied[w->copied_at - 1].step > step) w->copied_at--;
    const copied_t *row = w->copied_at ? &s->copied[w->copied_at - 1] : NULL;
    if (row && row->step != step) row = NULL;
    if (link < MIXED) {
        if (data && row) mark_bytes(w, link, row->addr, row->size);
        else if (data) mark(w, link, 1);
    } else {
        u64 m = link - MIXED;
        if (m >= s->n_mixed) return;
        u64 first = s->mixed[2 * m], n = s->mixed[2 * m + 1];
        if (data && row) mark_runs(w, first, n, row->addr);
        for (u64 r = first; data && !row && r < first + n && r < s->n_runs; r++)
            mark(w, s->runs[r].step, 1);
        for (u64 r = first; r < first + n && r < s->n_runs; r++)
            if (s->runs[r].step < least) least = s->runs[r].step;
    }
    if (s->class_of_op) lower_floor(w, s->class_of_op[op], least);
}

/* Which of the bytes that a step copied count: the wanted ones, those that its result is made
   from (all, unless the result is the address of the copy), or all. */
enum { WANTED, RESULT, EVERYTHING };

/* Mark who wrote the bytes that a call read, and the source bytes of what it copied. */
static void follow_effects(walk_t *w, u32 step, int counts) {
    const slice_t *s = w->s;
    while (w->effect_at && s->effects[s->effect_order[w->effect_at - 1]].step > step) w->effect_at--;
    for (u64 k = w->effect_at; k; k--) {
        const effect_t *e = &s->effects[s->effect_order[k - 1]];
        row_t *row = &w->rows[k - 1];
        if (e->step != step) break;
        if (e->kind == READ || e->kind == OUTPUT) mark_runs(w, e->first_run, e->n_runs, e->addr);
        if (e->kind != COPY || row->all) continue;
        row->all = counts == EVERYTHING || (counts == RESULT && !is_duplicate(s, e));
        if (row->all) mark_runs(w, e->first_run, e->n_runs, e->addr2);
        else mark_wanted(w, e, row);
    }
}

/* Mark or demand the registers of uses from..to-1, without the arguments `except`. */
static void follow_uses(walk_t *w, u64 i, u32 op, u32 from, u32 to, u64 except) {
    const slice_t *s = w->s;
    u32 first_op = s->stretch_first_op[s->stretch[i]];
    for (u32 k = from; k < to; k++) {
        u32 use = s->use_def[k];
        if (k - from < MAX_ARGUMENTS && except >> (k - from) & 1) continue;
        if (use >= first_op && use < op) mark(w, s->first[i] + (use - first_op), 0);
        else demand(w, use);
    }
}

/* The value of a phi also depends on the branch by which control came.  That is not its
   controlling step: a phi runs whenever its block does. */
static void follow_phi(walk_t *w, u64 i, u32 op) {
    const slice_t *s = w->s;
    u64 before = previous_instance(s, i);
    if (before == i) return;
    need(s, before);
    need(s, before + 1);
    if (s->with_control) mark(w, s->first[before + 1] - 1, 0);
    if (!s->data) return;
    u32 block = s->stretch_block[s->stretch[before]];
    for (u32 k = s->use_start[op]; k < s->use_start[op + 1]; k++)
        if (s->use_block[k] == block) demand(w, s->use_def[k]);
}

/* Mark all that one step depends on. */
static void follow(walk_t *w, u64 i, u32 step, u64 link_at) {
    const slice_t *s = w->s;
    u32 op = s->stretch_first_op[s->stretch[i]] + (step - s->first[i]);
    u32 from = s->use_start[op], to = s->use_start[op + 1], trust = w->frames[w->depth - 1].trust;
    if (trust) {
        s->hidden[step >> 6] |= 1ull << (step & 63);
        mark(w, s->activations[trust].call, 1);
    }
    if (s->with_control) mark(w, s->control[i], 0);
    if (s->flags[op] & LINK) follow_link(w, step, op, link_at + s->link_rank[op]);
    if (s->kind[op] == PHI) { follow_phi(w, i, op); return; }
    if (!s->data) return;
    int into = s->kind[op] == CALL && entered(s, i, step);
    if (into && !bit(s->whole, step) && !bit(w->asked, step)) {
        if (to > from) follow_uses(w, i, op, to - 1, to, 0);
        return;
    }
    int counts = bit(s->whole, step) ? EVERYTHING : !into && bit(s->in, step) ? RESULT : WANTED;
    u64 except = counts == WANTED && bit(w->copies, step) ? unwanted_arguments(w, step) : 0;
    follow_uses(w, i, op, from, to, except);
    follow_effects(w, step, counts);
}

/* Follow the steps still to do in instance i, the last first; this may add earlier ones. */
static void visit(walk_t *w, u64 i, u32 ops, u64 link_at) {
    const slice_t *s = w->s;
    u32 low = s->first[i], high = low + ops;  /* still to do: low <= step < high */
    while (high > low) {
        u64 word = (high - 1) >> 6;
        u64 left = s->todo[word] & (~0ull >> (63 - ((high - 1) & 63)));
        if (!left) { high = (u32)(word << 6); continue; }
        u32 step = (u32)(word << 6) + 63 - (u32)__builtin_clzll(left);
        if (step < low) return;
        s->todo[word] &= ~(1ull << (step & 63));
        w->now = step;
        follow(w, i, step, link_at);
        high = bit(s->todo, step) ? step + 1 : step;  /* again, if it read its own bytes */
    }
}

/* --- sections that are passed over --- */

/* Is a pending register of the frame defined by a stretch that ran in section n? */
static int is_defined_in(const walk_t *w, const frame_t *f, u64 n) {
    const slice_t *s = w->s;
    const activation_t *act = &s->activations[f->activation];
    const u64 *visited = s->visited + n * ((s->n_stretches + 63) / 64);
    const u64 *pending = w->arena + f->at;
    u64 ops = s->function_ops[act->function], size = f->words * 64;
    for (u64 b = next_bit(pending, 0, size, 1); b < size; b = next_bit(pending, b + 1, size, 1)) {
        if (b >= ops) return act->first >= s->section_instance[n];  /* a parameter */
        u32 stretch = s->op_stretch[s->function_first_op[act->function] + b];
        if (stretch == NONE || bit(visited, stretch)) return 1;
    }
    return 0;
}

/* The number of activations that began before instance i. */
static u64 began_before(const slice_t *s, u64 i) {
    u64 low = 1, high = s->n_activations;
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (s->activations[middle].first < i) low = middle + 1;
        else high = middle;
    }
    return low;
}

static int has_pending(const walk_t *w, u32 activation) {
    u64 low = 0, high = w->depth;  /* the numbers of nested activations ascend */
    while (low < high) {
        u64 middle = (low + high) / 2;
        if (w->frames[middle].activation < activation) low = middle + 1;
        else high = middle;
    }
    return low < w->depth && w->frames[low].activation == activation && w->frames[low].pending;
}

/* Did an activation that began before section n return in it, to a frame with pending registers?
   One of them may be the result of its call. */
static int returns_in(const walk_t *w, u64 n) {
    const slice_t *s = w->s;
    u64 count = began_before(s, s->section_instance[n]);
    for (u32 a = count > 1 ? (u32)count - 1 : 0; a; a = s->activations[a].parent) {
        u32 ret = s->activations[a].ret;
        if (ret > s->section_step[n] && ret <= s->section_step[n + 1] &&
            has_pending(w, s->activations[a].parent)) return 1;
    }
    return 0;
}

static int has_notes(const slice_t *s, u64 n) {
    const u64 *visited = s->visited + n * ((s->n_stretches + 63) / 64);
    for (u64 k = next_bit(visited, 0, s->n_stretches, 1); k < s->n_stretches;
         k = next_bit(visited, k + 1, s->n_stretches, 1))
        if (s->notes[k]) return 1;
    return 0;
}

/* Has the walk nothing to meet in section n?  The frames are those open at its end. */
static int is_skipped(const walk_t *w, u64 n) {
    const slice_t *s = w->s;
    u64 last = s->section_step[n + 1];
    if (w->wanted && w->wanted[n]) return 0;
    if (next_bit(s->todo, s->section_step[n] + 1, last + 1, 1) <= last) return 0;
    if (s->notes && has_notes(s, n)) return 0;
    for (u64 k = 0; k < w->depth; k++)
        if (w->frames[k].pending && is_defined_in(w, &w->frames[k], n)) return 0;
    return !returns_in(w, n);
}

/* Let the system take the memory back that holds rows from..to-1 of a mapped column. */
static void release(const void *rows, u64 from, u64 to, u64 size) {
    uintptr_t start = ((uintptr_t)rows + from * size + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    uintptr_t end = ((uintptr_t)rows + to * size) & ~(uintptr_t)(PAGE - 1);
    if (start < end) madvise((void *)start, end - start, MADV_DONTNEED);
}

/* Release the rows of section n, which the walk has passed.  Rows read again are mapped again. */
static void release_section(const slice_t *s, u64 n) {
    const u32 *columns[] = {s->stretch, s->first, s->activation, s->control};
    for (u32 k = 0; k < 4; k++) release(columns[k], s->low, s->high, sizeof **columns);
    release(s->links, s->section_link[n], s->section_link[n + 1], sizeof *s->links);
    release(s->activations, began_before(s, s->low), began_before(s, s->high), sizeof *s->activations);
}

/* --- the walk --- */

/* Be in section n: its rows are laid out. */
static void enter_section(walk_t *w, u64 n) {
    slice_t *s = w->s;
    need_section(s, n);
    s->low = s->section_instance[n];
    s->high = s->section_instance[n + 1];
    s->end = s->section_step[n + 1];
    w->copied_at = s->section_copied[n + 1];
    w->failed |= *s->broken != 0;
}

/* Walk from step `top`, which lies in section n, to the start of the section. */
static void pass_section(walk_t *w, u64 n, u32 top) {
    slice_t *s = w->s;
    enter_section(w, n);
    if (w->failed) return;
    u64 i = instance_of(s, top), link_at = s->section_link[n + 1];
    for (u64 after = s->high; --after > i;) link_at -= links_in(s, after);
    for (i++; i-- > s->low && !w->failed;) {
        u32 ops = executed(s, i);
        link_at -= links_in(s, i);
        w->now = s->first[i] + ops - 1;
        move_to(w, i);
        if (w->failed || !w->depth) continue;
        if (w->frames[w->depth - 1].pending) settle(w, i, ops);
        if (s->notes && s->notes[s->stretch[i]] && ops == s->stretch_ops[s->stretch[i]])
            consider_branch(w, i, w->now);
        visit(w, i, ops, link_at);
        w->failed |= *s->broken != 0;
    }
    if (s->n_sections > 1) release_section(s, n);
}

/* Walk from step `top` back to the first. */
static void pass(walk_t *w, u32 top) {
    const slice_t *s = w->s;
    w->effect_at = s->n_effects;
    for (u64 c = 0; c < s->n_classes; c++) s->floors[c] = NONE;
    u64 n = section_of_step(s, top);
    pass_section(w, n, top);
    while (n-- > 0 && !w->failed) {
        u32 last = (u32)s->section_step[n + 1];
        w->now = last;
        close_after(w, s->section_instance[n + 1] - 1);
        if (!w->failed && !is_skipped(w, n)) pass_section(w, n, last);
    }
    while (w->depth && !w->failed) pop(w);
    w->used = 0;
}

/* Mark what callbacks returned before `end` to the call at the end of instance i: see 4. */
static void mark_callbacks(walk_t *w, u64 i, u32 call, u32 end) {
    const slice_t *s = w->s;
    while (++i < s->n_instances) {
        need(s, i);
        const activation_t *act = &s->activations[s->activation[i]];
        if (act->call != call || !is_callback(act)) return;
        if (act->ret < end) mark(w, act->ret, 0);
        i = act->last;
    }
}

/* --- the interface --- */

/* Prepare `calls_back` and `needed`; a run without callbacks needs neither. */
static void start_needs(walk_t *w) {
    const slice_t *s = w->s;
    for (u64 a = 1; a < s->n_activations && !w->failed; a++) {
        const activation_t *act = &s->activations[a];
        if (!is_callback(act) || act->call > s->n_steps) continue;
        if (!w->calls_back) {
            w->calls_back = calloc(s->n_steps / 64 + 1, sizeof *w->calls_back);
            w->needed = calloc(s->n_steps + 1, sizeof *w->needed);
            w->last_callback = calloc(s->n_steps + 1, sizeof *w->last_callback);
            w->wanted = calloc(s->n_sections, sizeof *w->wanted);
            w->failed = !w->calls_back || !w->needed || !w->last_callback || !w->wanted;
        }
        if (w->failed) return;
        w->calls_back[act->call >> 6] |= 1ull << (act->call & 63);
        if (act->ret > w->last_callback[act->call]) w->last_callback[act->call] = act->ret;
    }
    if (s->n_sections > 1) release(s->activations, 0, s->n_activations, sizeof *s->activations);
}

static void start(walk_t *w) {
    const slice_t *s = w->s;
    u64 words = s->n_steps / 64 + 1;
    w->copies = calloc(words, sizeof *w->copies);
    w->asked = calloc(words, sizeof *w->asked);
    w->rows = calloc(s->n_effects + 1, sizeof *w->rows);
    w->failed = !w->copies || !w->asked || !w->rows;
    for (u64 e = 0; e < s->n_effects && !w->failed; e++)
        if ((s->effects[e].kind == COPY || is_piece(&s->effects[e])) && s->effects[e].step <= s->n_steps)
            w->copies[s->effects[e].step >> 6] |= 1ull << (s->effects[e].step & 63);
    if (!w->failed) start_needs(w);
}

static void finish(walk_t *w) {
    for (u64 k = 0; w->asked && k < w->s->n_steps / 64 + 1; k++)
        if (w->asked[k]) w->s->in[k] |= w->asked[k];  /* untouched pages stay without memory */
    for (u64 k = 0; w->rows && k < w->s->n_effects; k++) free(w->rows[k].wanted);
    free(w->rows);
    free(w->copies);
    free(w->asked);
    free(w->calls_back);
    free(w->needed);
    free(w->last_callback);
    free(w->wanted);
    free(w->frames);
    free(w->arena);
    free(w->spare);
}

/* Set the bits of the slice: the steps in & ~hidden.  Return 0, or -1 if memory ran out. */
EXPORT int wh_slice(slice_t *s) {
    walk_t w = {.s = s};
    start(&w);
    for (u64 c = 0; c < s->n_criteria && !w.failed; c++) {
        u32 step = s->criteria[c];
        enter_section(&w, section_of_step(s, step));
        if (w.failed) break;
        if (s->sizes[c]) mark_bytes(&w, step, s->places[c], s->sizes[c]);
        else mark(&w, step, s->parts[c] == ARGUMENTS);
        if (!s->data) continue;
        int value = !s->sizes[c] && s->parts[c] == VALUE;
        u64 i = instance_of(s, step);
        u32 inner = step - s->first[i] + 1 == executed(s, i) ? entered(s, i, step) : 0;
        if (!inner) mark_callbacks(&w, i, step, value ? NONE : s->top);
        else if (value) mark(&w, s->activations[inner].ret, 0);
    }
    if (s->top > w.late) w.late = s->top;
    while (w.late && !w.failed) {
        u32 top = w.late;
        w.late = 0;
        if (top > w.greatest) w.greatest = top;
        pass(&w, top);
    }
    finish(&w);
    return w.failed ? -1 : 0;
}

/* Write the numbers of the bits of a & ~b to `out`, in order (null: only count them). */
EXPORT u64 wh_members(const u64 *a, const u64 *b, u64 words, u32 *out) {
    u64 n = 0;
    for (u64 k = 0; k < words; k++) {
        u64 bits = a[k] & ~b[k];
        if (!out) { n += (u64)__builtin_popcountll(bits); continue; }
        for (; bits; bits &= bits - 1) out[n++] = (u32)(k << 6) + (u32)__builtin_ctzll(bits);
    }
    return n;
}

/* For each operation, count how many of `steps` (sorted) executed it, and keep the last. */
EXPORT void wh_ops(const u32 *steps, u64 n, const u32 *first, const u32 *stretch, u64 n_instances,
                   const u32 *first_op, int64_t *counts, u32 *last) {
    u64 i = 0;
    for (u64 k = 0; k < n; k++) {
        while (i + 1 < n_instances && first[i + 1] <= steps[k]) i++;
        u32 op = first_op[stretch[i]] + steps[k] - first[i];
        counts[op]++;
        last[op] = steps[k];
    }
}
