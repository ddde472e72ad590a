/* What do recorded programs and the readers of their logs agree on?
 *
 * A stream file is a 4096-byte header (struct wh_header) and the log.  The header is mapped shared,
 * so it survives any death of the process.  Invariants:
 *  1. `cursor` is where the next byte goes; the log ends at file offset
 *     window_offset + (cursor - window).  While the window moves, `window` is 0; then the log ends
 *     at `settled`.
 *  2. If cursor <= limit, WH_SLACK bytes may be written.  Otherwise wh_more() makes room.
 *  3. No process records into a file of another process: a forked child gets files of its own.
 *  4. A stream that was cut (state 3 or 4) keeps that state; `lost` counts the bytes logged after
 *     the cut.  A later crash fills in the crash fields and leaves the state.
 */
#ifndef WHENCE_H
#define WHENCE_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#define WH_MAGIC 0x313045434e454857ull /* "WHENCE01" */
#define WH_MODULE_MAGIC 0x444d4857u    /* "WHMD" */
#define WH_HEADER 4096         /* bytes */
#define WH_SLACK (64u << 10)   /* bytes; see invariant 2 and log_code.py */

/* LEFT: a jump or an exception left this handler.  At its parent_offset the parent's log goes on
 * with a WH_LANDED item, anywhere in a function. */
enum wh_kind { WH_MAIN, WH_THREAD, WH_HANDLER };
enum wh_state { WH_RUNNING, WH_ENDED, WH_CRASHED, WH_DISK_FULL, WH_TOO_LONG, WH_EXECED, WH_LEFT };

/* Items of a log, by their first byte. */
enum wh_item { WH_ENTRY, WH_RETURNED, WH_LANDED, WH_EFFECT };

/* The second byte of a WH_EFFECT item, and the fields that follow it. */
enum wh_effect {
    WH_READ = 1, /* addr u64, len u64 */
    WH_WRITE,    /* addr u64, len u64: contents not logged */
    WH_COPY,     /* dst u64, src u64, len u64: reads src, writes dst */
    WH_INPUT,    /* source u32, offset u64, len u64, addr u64: also writes addr, if not 0 */
    WH_OUTPUT,   /* source u32, offset u64, len u64, addr u64, arg i32, known u32, text: also reads
                    addr, if not 0.  `text` is what was put out; `known` is its length: len, or 0 if
                    the text is not known */
    WH_ALLOC,    /* addr u64, len u64 */
    WH_FREE,     /* addr u64 */
    WH_SOURCE,   /* source u32, kind u8, len u16, name */
    WH_EXIT,     /* status i32 */
    WH_ARGV,     /* addr u64, len u64 (with its 0), index u32, slot u64: the string argv[index] and
                    the address of its pointer.  The last one has addr 0: the null pointer. */
    WH_ENV,      /* the same for envp; variables named WHENCE_... are left out */
    WH_SIGNAL    /* signo u32, stream u32 (never written) */
};
/* An OUTPUT to this source names the argument of sprintf and the like that a piece of text in
 * memory came from: `addr` is the piece (it is not read), `offset` its place in the result.  It
 * follows the WRITE or COPY of that piece. */
#define WH_MEMORY 0xffffffffu

enum wh_source { WH_FD, WH_FILE, WH_STDIN, WH_STDOUT, WH_STDERR, WH_ARGS, WH_ENVIRON, WH_PIPE };

struct wh_header {
    uint64_t cursor, limit, magic;
    uint64_t window, window_offset;
    uint32_t kind, number;
    int64_t tid;
    uint32_t parent, signal;
    uint64_t parent_offset;
    uint32_t state, crash_signal;
    uint64_t crash_address, crash_pc;
    uint64_t lost;
    uint32_t crash_code, has_status; /* has_status: did this thread end the process by exit()? */
    uint64_t settled;
    int32_t status, reserved; /* the argument of exit(), whichever function called it */
};
_Static_assert(offsetof(struct wh_header, kind) == 40, "as the format says");
_Static_assert(offsetof(struct wh_header, parent_offset) == 64, "as the format says");
_Static_assert(offsetof(struct wh_header, lost) == 96, "as the format says");
_Static_assert(offsetof(struct wh_header, settled) == 112, "as the format says");
_Static_assert(offsetof(struct wh_header, status) == 120, "as the format says");

struct wh_module {
    const char *id;
    uint32_t n_symbols, n_snap;
    const void *const *symbols;
    const uint32_t *snap_index;
    const uint64_t *snap_size;
};

/* --- used by instrumented code --- */

extern __thread struct wh_header *wh_log __attribute__((tls_model("initial-exec")));
void wh_more(void);
void wh_room(void);
void wh_register(const struct wh_module *module);
void wh_landed(void *frame);
void wh_store(void *address, uint64_t bytes, uint64_t point);
unsigned char wh_branch(unsigned char condition, uint64_t point);
uint64_t wh_switch(uint64_t value, uint64_t point);

/* --- shared by the files of the runtime (one translation unit: runtime.c) --- */

/* Return the file offset of the next byte of a log. */
static inline uint64_t wh_offset(const struct wh_header *log)
{
    return log->window_offset + (log->cursor - log->window);
}

#endif
