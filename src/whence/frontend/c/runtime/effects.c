/* What did a call do to memory and the outside world?  Writes EFFECT items, and numbers sources. */
#include <stdio.h>

static char *put(char *to, const void *value, size_t size)
{
    memcpy(to, value, size);
    return to + size;
}
#define PUT(to, type, value) put(to, &(type){(type)(value)}, sizeof(type))

/* Start an item.  Only PUT may be used between this and done(). */
static char *effect(enum wh_effect kind)
{
    wh_room();
    char *p = (char *)wh_log->cursor;
    p[0] = WH_EFFECT;
    p[1] = (char)kind;
    return p + 2;
}

static void done(const char *end)
{
    wh_log->cursor = (uint64_t)end;
}

static void span(enum wh_effect kind, const void *at, uint64_t size)
{
    if (size && at) {
        char *p = effect(kind);
        p = PUT(p, uint64_t, at);
        done(PUT(p, uint64_t, size));
    }
}

static void reads(const void *at, uint64_t size)
{
    span(WH_READ, at, size);
}

static void writes(const void *at, uint64_t size)
{
    span(WH_WRITE, at, size);
}

static void allocates(const void *at, uint64_t size)
{
    span(WH_ALLOC, at, size);
}

static void frees(const void *at)
{
    if (at)
        done(PUT(effect(WH_FREE), uint64_t, at));
}

static void copies(const void *to, const void *from, uint64_t size)
{
    if (size && to != from) {
        char *p = effect(WH_COPY);
        p = PUT(p, uint64_t, to);
        p = PUT(p, uint64_t, from);
        done(PUT(p, uint64_t, size));
    }
}

static void reads_string(const char *text)
{
    if (text)
        reads(text, strlen(text) + 1);
}

static void writes_string(const char *text)
{
    if (text)
        writes(text, strlen(text) + 1);
}

static void exits(int status)
{
    done(PUT(effect(WH_EXIT), int32_t, status));
}

/* Log strings[index], and the address of that pointer. */
static void start_string(enum wh_effect kind, char **strings, uint32_t index)
{
    uint64_t size = strings[index] ? strlen(strings[index]) + 1 : 0;
    char *p = effect(kind);
    p = PUT(p, uint64_t, strings[index]);
    p = PUT(p, uint64_t, size);
    p = PUT(p, uint32_t, index);
    done(PUT(p, uint64_t, &strings[index]));
}

static void start_strings(enum wh_effect kind, char **strings)
{
    for (uint32_t i = 0; strings; i++) {
        if (!strings[i] || kind != WH_ENV || strncmp(strings[i], "WHENCE_", 7) != 0)
            start_string(kind, strings, i);
        if (!strings[i])
            return;
    }
}

/* Log the strings that the program starts with.  Our own variables are left out, so that the
 * offsets of the log do not depend on a patch. */
static void log_arguments(void)
{
    start_strings(WH_ARGV, start_argv);
    start_strings(WH_ENV, start_envp);
}

/* --- sources: one for each open file, shared by its descriptors made by dup --- */

#define MAX_FDS 65536 /* descriptors above it are not followed; guessed */

struct source {
    struct source *next; /* list of unused sources */
    uint32_t id, uses;
    uint32_t announced; /* 1 + number of the stream that last logged its name */
    enum wh_source kind;
    uint64_t input, output; /* bytes transferred; a file has one position for both: input */
};

static struct source *sources[MAX_FDS], *unused_sources;
static uint32_t next_source = 3; /* 0, 1, 2: the standard streams of the start */
static unsigned char standard_gone[3];

static enum wh_source kind_of(int fd)
{
    struct stat status;
    if (fd <= 2 && !standard_gone[fd])
        return (enum wh_source)(WH_STDIN + fd);
    if (syscall(SYS_fstat, fd, &status))
        return WH_FD;
    if (S_ISREG(status.st_mode))
        return WH_FILE;
    return S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode) ? WH_PIPE : WH_FD;
}

static struct source *new_source(int fd)
{
    struct source *s = unused_sources;
    if (s)
        unused_sources = s->next;
    else if (!(s = keep(sizeof *s)))
        return NULL;
    enum wh_source kind = kind_of(fd);
    int standard = kind == WH_STDIN || kind == WH_STDOUT || kind == WH_STDERR;
    *s = (struct source){.kind = kind, .uses = 1, .id = standard ? (uint32_t)fd : next_source++};
    return s;
}

static struct source *source_of(int fd)
{
    if (fd < 0 || fd >= MAX_FDS)
        return NULL;
    if (!sources[fd]) {
        struct lock_state lock = enter();
        if (!sources[fd])
            sources[fd] = new_source(fd);
        leave(lock);
    }
    return sources[fd];
}

static void set_source(int fd, struct source *s)
{
    if (fd < 0 || fd >= MAX_FDS || (s && sources[fd] == s))
        return;
    struct lock_state lock = enter();
    struct source *old = sources[fd];
    if (fd <= 2)
        standard_gone[fd] = 1;
    if (old && --old->uses == 0) {
        old->next = unused_sources;
        unused_sources = old;
    }
    if (s)
        s->uses++;
    sources[fd] = s;
    leave(lock);
}

/* The descriptor was closed, or is open on something new. */
static void forget_fd(int fd)
{
    set_source(fd, NULL);
}

static void share_fd(int to, int from)
{
    if (to >= 0 && to != from)
        set_source(to, source_of(from));
}

/* Let a child log the names of its sources again: its log may not contain this thread's. */
static void forget_sources(void)
{
    for (int fd = 0; fd < MAX_FDS; fd++)
        if (sources[fd])
            sources[fd]->announced = 0;
}

static uint16_t source_name(int fd, enum wh_source kind, char *name, size_t size)
{
    static const char *const standard[] = {"stdin", "stdout", "stderr"};
    if (kind == WH_STDIN || kind == WH_STDOUT || kind == WH_STDERR)
        return (uint16_t)(append(name, standard[kind - WH_STDIN]) - name);
    char link[32];
    int error = errno;
    append_number(append(link, "/proc/self/fd/"), (uint64_t)fd);
    long n = syscall(SYS_readlinkat, AT_FDCWD, link, name, size);
    errno = error;
    if (n < 0)
        n = append_number(append(name, "fd "), (uint64_t)fd) - name;
    /* "pipe:[17]": the number differs between runs */
    else if (kind == WH_PIPE && memchr(name, ':', (size_t)n))
        n = (char *)memchr(name, ':', (size_t)n) - name;
    return (uint16_t)n;
}

static struct source *announced_source(int fd)
{
    struct source *s = source_of(fd);
    wh_room();
    if (!s || s->announced == wh_log->number + 1)
        return s;
    s->announced = wh_log->number + 1;
    char name[4096];
    uint16_t size = source_name(fd, s->kind, name, sizeof name);
    char *p = effect(WH_SOURCE);
    p = PUT(p, uint32_t, s->id);
    p = PUT(p, uint8_t, s->kind);
    p = PUT(p, uint16_t, size);
    done(put(p, name, size));
    return s;
}

static uint64_t *position(struct source *s, enum wh_effect kind)
{
    return kind == WH_INPUT || s->kind == WH_FILE ? &s->input : &s->output;
}

static char *transfer(enum wh_effect kind, const struct source *s, uint64_t offset, uint64_t size,
                      const void *at)
{
    char *p = effect(kind);
    p = PUT(p, uint32_t, s ? s->id : WH_MEMORY);
    p = PUT(p, uint64_t, offset);
    p = PUT(p, uint64_t, size);
    return PUT(p, uint64_t, at);
}

static uint64_t advance(struct source *s, enum wh_effect kind, long size)
{
    return __atomic_fetch_add(position(s, kind), size, __ATOMIC_RELAXED);
}

static void inputs_at(int fd, long size, const void *at, uint64_t offset)
{
    struct source *s = size > 0 ? announced_source(fd) : NULL;
    if (s)
        done(transfer(WH_INPUT, s, offset, (uint64_t)size, at));
}

static void inputs(int fd, long size, const void *at)
{
    struct source *s = size > 0 ? announced_source(fd) : NULL;
    if (s)
        done(transfer(WH_INPUT, s, advance(s, WH_INPUT, size), (uint64_t)size, at));
}

/* Log one output; a long one becomes several items, because each must fit into WH_SLACK. */
#define MAX_TEXT (WH_SLACK / 2) /* bytes of text in one item */
static void put_out(const struct source *s, uint64_t offset, uint64_t size, const char *at,
                    const char *text, int32_t arg)
{
    while (size) {
        uint64_t part = text && size > MAX_TEXT ? MAX_TEXT : size;
        char *p = PUT(transfer(WH_OUTPUT, s, offset, part, at), int32_t, arg);
        p = PUT(p, uint32_t, text ? part : 0);
        done(text ? put(p, text, part) : p);
        size -= part;
        offset += part;
        at = at ? at + part : NULL;
        text = text ? text + part : NULL;
    }
}

/* `at` is the memory that the text came from, if the program has it there; `text` is the text
 * itself, if it is known. */
static void outputs_text(int fd, long size, const void *at, const char *text, int32_t arg)
{
    struct source *s = size > 0 ? announced_source(fd) : NULL;
    if (s)
        put_out(s, advance(s, WH_OUTPUT, size), (uint64_t)size, at, text, arg);
}

static void outputs(int fd, long size, const void *at, int32_t arg)
{
    outputs_text(fd, size, at, at, arg);
}

/* Log what code that is not recorded put out, if recorded code runs in this thread. */
void wh_puts_out(int fd, long size, const void *at, const void *text)
{
    int error = errno;
    if (current)
        outputs_text(fd, size, at, text, -1);
    errno = error;
}

/* Recorded code sets this before it calls a function of foreign.c. */
static __thread int is_announced;

int wh_takes_announcement(void)
{
    int was = is_announced;
    is_announced = 0;
    return was;
}

static void outputs_at(int fd, long size, const void *at, int32_t arg, uint64_t offset)
{
    struct source *s = size > 0 ? announced_source(fd) : NULL;
    if (s)
        put_out(s, offset, (uint64_t)size, at, at, arg);
}

static void seeks(int fd, long offset)
{
    struct source *s = offset >= 0 ? source_of(fd) : NULL;
    if (s)
        s->input = s->output = (uint64_t)offset;
}

/* Return the descriptor of a stdio stream; -1 if it has none (fmemopen and the like). */
static int fd_of(FILE *file)
{
    int error = errno, fd = file ? fileno(file) : -1;
    errno = error;
    return fd;
}
