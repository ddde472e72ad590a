/* What is the state of the kernel while it replays a stream? */
#ifndef WHENCE_KERNEL_H
#define WHENCE_KERNEL_H
#include "columns.h"
#include "memory.h"
#include "tables.h"

enum { OK, CUT, DAMAGED, STOPPED }; /* STOPPED: cancelled, or too large */
enum { MISMATCHES = 100 };

struct mismatch { u64 step, logged, computed; };
struct meta { /* as _Meta in __init__.py */
    u64 steps, instances, links, activations, effects, writes, mixed, runs, checkpoints;
    u64 log_bytes;    /* file offset up to which the log was read */
    u64 stop_address; /* the address that op `stop_op` was about to use, if any */
    u64 mismatches;
    u64 disordered; /* 1: rows of `effects` or `writes` are not in the order of their steps */
    u64 copied;
    u64 sections;   /* 0: the run is laid out as a whole */
    u32 status, stop_op; /* the op that did not complete, or NONE */
    struct mismatch mismatch[MISMATCHES];
    char message[256];
};

struct activation { u32 function, parent, call, first_instance, last_instance, ret, flags, depth; };
enum { DIRECT = 1, UNWOUND = 2 }; /* flags of an activation */
struct effect {
    u32 step;
    u8 kind, pad[3];
    u32 source;
    i32 arg;
    u64 addr, addr2, len, offset;
    u32 first_run, n_runs;
};
struct write { u64 addr; u32 step, len; }; /* also the rows of `copied` */
struct checkpoint { u64 at, log; u32 step, instance, n_frames, stretch; };

/* A section is a part of the run that can be laid out without the rest.  Its row holds the state in
   which it begins: the numbers of rows before it, and where the rest lies (sections.c). */
struct section { /* as SECTION in sections.py */
    u64 at, log, links, mixed, runs, activations, effects, writes, copied, visits, pages, errno_at;
    u32 step, instance, n_frames, n_decisions, n_variadic, stretch, called, external, resumed;
    u32 least_write; /* the least step of the writes of the section before; NONE: there are none */
};
struct visits { u32 stretch, count; }; /* how many instances of a stretch a section has */

struct decision { u32 step, ipdom; }; /* a branch that is in effect until its ipdom is entered */

struct frame {
    u64 *slots;
    u8 *local;
    u32 *definer; /* definer of each local byte */
    struct chunk *chunk;
    u64 address;
    u32 function, activation, block, from, stretch;
    u32 call;        /* step of the call that it waits for */
    u32 call_op;
    u32 direct;      /* its call entered the callee itself */
    u32 by_call;     /* it is the callee of the call that entered it */
    u32 entered_by;  /* step of the call */
    u32 last_instance;
    u32 control;     /* controlling step of the current block */
    u32 decisions;   /* number of decisions below those of this activation */
    u32 twice;       /* number of decisions at its latest setjmp */
};

typedef int progress_fn(u64 steps, u64 log_bytes);

struct window { /* the values wanted for the steps from..to-1, and details of step `detail` */
    u32 from, to, detail;
    u64 *value, *address, *offset;
    u64 *result, *arguments; /* slots of step `detail` */
    u64 n_result, n_arguments, capacity;
};

struct prepared { /* what is computed once, before the first step */
    struct tables t;
    struct op *ops;  /* with own codes for frequent cases */
    u8 *branches;    /* for each block: can control leave it in several ways? */
    u32 *entry_size; /* for each function: bytes of its entry item after the fid */
    u32 *by_fid;     /* hash table: function + 1 */
    u64 fid_slots, scratch_slots;
};

struct jump {
    u64 offset, fault;
};
#define NO_FAULT (~0ull)

struct kernel {
    const struct prepared *prepared;
    const struct tables *t;
    const struct op *ops;
    const u8 *log, *p, *end;
    /* For each signal handler that jumped out: the offset in the log, and the address of the fault
       that started the handler (NO_FAULT: another signal did). */
    const struct jump *jumps;
    u64 n_jumps;
    /* The fault at the end of the part of the log that is read now: was there one, at which
       address?  `killed` and `killed_at` are the same for the end of the whole log. */
    int crashed, killed;
    u64 crash, killed_at;
    u32 step, instance;

    struct frame *frames;
    u32 n_frames, frames_size;
    struct chunk *chunk;
    struct decision *decisions;
    u32 n_decisions, decisions_size;
    u64 *scratch; /* values of the phis of a block */

    struct memory memory;
    struct runs runs;
    struct column stretch, first, activation, control, links, linkbase, instmap, mixed, run_rows,
        effects, writes, copied, checkpoints, checkpoint_index;
    struct mapped activations;
    u64 n_mixed, n_runs;
    u64 *copies; /* one bit a step: did it copy bytes, or print them into memory? */
    u64 n_copies; /* number of steps that have a bit */
    u32 last_row; /* the step of the latest row of `effects` or `writes` */
    u64 next_event, next_checkpoint, next_progress;
    u64 checkpoint_every; /* minimum of steps between two checkpoints */
    struct column sections, section_index, pages, page_index, visits;
    u64 next_section, section_every; /* the latter is the minimum of steps of a section */
    u64 saved_per_step; /* limit on the bytes that are saved for sections; 0: none */
    u32 n_sections;  /* after the first, which is laid out while the log is read */
    u32 least_write; /* the least step of the writes of the current section */
    u32 *counts;     /* for each stretch: its instances in the current section */
    int is_laying;   /* one section is being laid out, up to step next_event */
    const u8 *quiet_at; /* a position in the log, */
    u32 quiet_since;    /* and the step at which it was reached */
    /* the step that resumed unwinding after a cleanup; 0: none since the last landing */
    u32 resumed;
    progress_fn *progress;

    struct window *window;
    struct meta *meta;
};

static inline int is_copy(const struct kernel *k, u32 step) {
    return step < k->n_copies && k->copies[step >> 6] >> (step & 63) & 1;
}

/* frames.c */
struct frame *push_frame(struct kernel *k, u32 function); /* NULL: out of memory */
void pop_frame(struct kernel *k);
void free_frames(struct kernel *k);
int push_decision(struct kernel *k, u32 step, u32 ipdom);
void save_checkpoint(struct kernel *k);
int restore_checkpoint(struct kernel *k, const struct checkpoint *c, const u8 *file, u64 size);

/* sections.c */
void save_section(struct kernel *k);
int restore_section(struct kernel *k, const struct section *s, const u8 *file, u64 size);
void save_visits(struct kernel *k);
/* The offset in the file of a column at which the rows of a section begin; ~0: all rows of the column
   were written when the log was read. */
u64 section_offset(struct kernel *k, const struct column *c, const struct section *s);
void save_copies(struct kernel *k, const char *directory);
void put(struct column *c, const void *data, size_t size);
size_t frame_size(const struct function *f); /* slots, local bytes, and their definers */

/* prepare.c */
u32 function_of(const struct prepared *k, u64 fid); /* NONE: no such function */

/* effects.c */
int read_effect(struct kernel *k, u32 step, int recording);
void add_write(struct kernel *k, u64 address, u64 size, u32 step);
void copy_bytes(struct kernel *k, u64 to, u64 from, u64 size, u32 step);
void fill_bytes(struct kernel *k, u64 to, int byte, u64 size, u32 step);
u32 link_of_runs(struct kernel *k);
void add_copied(struct kernel *k, u64 address, u64 size, u32 step);
/* if a run of k->runs was copied */
void add_copied_runs(struct kernel *k, u64 address, u64 size, u32 step);
/* with definers in k->runs */
void local_copy(struct kernel *k, u64 to, u64 from, u64 size, u32 step);
void fail(struct kernel *k, u32 status, const char *format, ...);

#endif
