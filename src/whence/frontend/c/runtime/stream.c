/* Where do the logged bytes of a thread go?  Streams, their windows, threads, fork and the end. */
#include <limits.h>
#include <pthread.h>
#include <signal.h>

/* Sizes of the mapped part of a log, in bytes; the size doubles with each window.  Guessed. */
#define FIRST_WINDOW (256u << 10)
#define LARGEST_WINDOW (4u << 20)
#define SCRATCH_SIZE (2 * WH_SLACK)  /* room for bytes that are not kept */
#define CRASH_STACK (64u << 10)      /* bytes of stack for our handler of a crash; guessed */

struct stream {
    struct stream *next; /* in the list of used or of unused streams */
    struct stream *outer; /* handler: the stream that it interrupted */
    struct wh_header *log; /* the value of wh_log while this stream is current */
    struct wh_header *header; /* header of the file; NULL if there is no file */
    void *window;
    uint64_t window_size, file_size;
    struct wh_header *scratch; /* where logged bytes go that are not kept */
    enum wh_kind kind;
    uint32_t number, parent, signal;
    uint64_t parent_offset, fault; /* fault: of a handler, the address of the fault before it */
    const char *low, *high; /* handler: the part of the stack that it runs on */
    struct wh_header at_fork;
    void *crash_stack;
    int rounds; /* rounds of destructors at the end of a thread */
};

static struct wh_header nowhere = {.cursor = 1}; /* cursor > limit: the first use calls wh_more */
__thread struct wh_header *wh_log __attribute__((tls_model("initial-exec"))) = &nowhere;
static __thread struct stream *current;
/* Known before the thread has a stream: the log that started it, and its offset then. */
static __thread uint32_t start_parent;
static __thread uint64_t start_offset;

static struct stream *streams, *unused;
static uint32_t next_number = 1; /* 0 is the main thread's */
static pthread_key_t ending;

static struct stream *new_stream(enum wh_kind kind)
{
    struct stream *s = unused;
    if (s)
        unused = s->next;
    else if (!(s = keep(sizeof *s)))
        _exit(127); /* no memory for a few hundred bytes: the program cannot go on */
    *s = (struct stream){.next = streams, .log = &nowhere, .kind = kind};
    streams = s;
    return s;
}

static void forget_stream(struct stream *s)
{
    struct stream **link = &streams;
    while (*link != s)
        link = &(*link)->next;
    *link = s->next;
    s->next = unused;
    unused = s;
}

/* --- logging without keeping --- */

/* Continue at `offset` without keeping anything.  Offsets still count up: a patch names them. */
static void go_scratch(struct stream *s, uint64_t offset)
{
    char *memory = sys_map(WH_HEADER + SCRATCH_SIZE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!memory)
        _exit(127);
    s->log = s->scratch = (struct wh_header *)memory;
    uint64_t window = (uint64_t)memory + WH_HEADER;
    *s->scratch = (struct wh_header){
        .cursor = window,
        .limit = window + SCRATCH_SIZE - WH_SLACK,
        .window = window,
        .window_offset = offset,
        .kind = s->kind,
        .number = s->number,
    };
}

static void rewind_scratch(struct stream *s)
{
    s->scratch->window_offset = wh_offset(s->scratch);
    s->scratch->cursor = s->scratch->window;
    if (s->header)
        s->header->lost = s->scratch->window_offset - wh_offset(s->header);
}

/* --- windows on a file --- */

static void unmap_window(struct stream *s)
{
    sys_unmap(s->window, s->window_size);
    s->window = NULL;
}

/* Cut the file at the end of the log.  Later logging asks for room first, because the limit is
 * 0. */
static void settle(struct stream *s)
{
    if (!s->header || s->scratch)
        return;
    int fd = sys_open(log_path(s->number), O_RDWR);
    uint64_t end = wh_offset(s->header);
    s->header->limit = 0;
    sys_truncate(fd, end);
    sys_close(fd);
    trace_total -= s->file_size - end;
    s->file_size = end;
}

static void cut(struct stream *s, enum wh_state state)
{
    settle(s);
    s->header->state = state;
    unmap_window(s);
    go_scratch(s, wh_offset(s->header));
}

static void point_window(struct wh_header *h, void *window, uint64_t size, uint64_t base)
{
    uint64_t at = h->settled;
    /* `window` is cleared first and set last, so that a kill in between can be recognised. */
    __atomic_store_n(&h->window, 0, __ATOMIC_SEQ_CST);
    h->window_offset = base;
    h->cursor = (uint64_t)window + (at - base);
    h->limit = (uint64_t)window + size - WH_SLACK;
    __atomic_store_n(&h->window, (uint64_t)window, __ATOMIC_SEQ_CST);
}

/* Give the stream a window that starts at the page of its cursor, or cut it. */
static void next_window(struct stream *s)
{
    struct wh_header *h = s->header;
    uint64_t at = wh_offset(h), page = (uint64_t)sysconf(_SC_PAGESIZE), base = at & ~(page - 1);
    uint64_t size = s->window_size * 2 < LARGEST_WINDOW ? s->window_size * 2 : LARGEST_WINDOW;
    if (size < FIRST_WINDOW)
        size = FIRST_WINDOW;
    h->settled = at;
    uint64_t grown = base + size > s->file_size ? base + size - s->file_size : 0;
    uint64_t left = trace_limit > trace_total ? trace_limit - trace_total : 0;
    if (grown > left) { /* try a smaller one */
        size = (size - (grown - left)) & ~(page - 1);
        if (base + size < at + 2 * WH_SLACK) {
            cut(s, WH_TOO_LONG);
            return;
        }
    }
    int fd = sys_open(log_path(s->number), O_RDWR);
    void *window = NULL;
    /* If the disk has no room for a large window, try smaller ones. */
    while (fd >= 0 && !window && base + size >= at + 2 * WH_SLACK) {
        if (reserve(fd, s->file_size, base + size) && !(window = sys_map(size, MAP_SHARED, fd, base)))
            break;
        if (!window)
            size = size / 2 & ~(page - 1);
    }
    sys_close(fd);
    if (!window) {
        cut(s, WH_DISK_FULL);
        return;
    }
    unmap_window(s);
    s->window = window;
    s->window_size = size;
    if (base + size > s->file_size) {
        trace_total += base + size - s->file_size;
        s->file_size = base + size;
    }
    point_window(h, window, size, base);
}

/* Map the header of the stream's file, which exists and has at least that size. */
static struct wh_header *map_header(struct stream *s)
{
    int fd = sys_open(log_path(s->number), O_RDWR);
    struct wh_header *h = fd < 0 ? NULL : sys_map(WH_HEADER, MAP_SHARED, fd, 0);
    sys_close(fd);
    return h;
}

static int create_log(uint32_t number)
{
    int fd = sys_open(log_path(number), O_RDWR | O_CREAT | O_EXCL);
    int fine = fd >= 0 && reserve(fd, 0, WH_HEADER);
    sys_close(fd);
    return fine;
}

static void name_header(struct stream *s)
{
    struct wh_header *h = s->header;
    h->magic = WH_MAGIC;
    h->kind = s->kind;
    h->number = s->number;
    h->tid = syscall(SYS_gettid);
    h->parent = s->parent;
    h->signal = s->signal;
    h->parent_offset = s->parent_offset;
    h->crash_address = s->fault;
}

static void open_stream(struct stream *s)
{
    s->number = s->kind == WH_MAIN ? 0 : next_number++;
    if (recording() && create_log(s->number))
        s->header = map_header(s);
    if (!s->header) {
        go_scratch(s, WH_HEADER);
        return;
    }
    s->log = s->header;
    s->file_size = WH_HEADER;
    trace_total += WH_HEADER;
    name_header(s);
    s->header->cursor = WH_HEADER; /* as if the file were mapped at 0 */
    if (modules_cut)
        cut(s, WH_DISK_FULL);
    else
        next_window(s);
}

/* --- the life of a thread --- */

static void end_stream(struct stream *s)
{
    if (s->scratch)
        rewind_scratch(s); /* counts the lost bytes */
    settle(s);
    if (s->header && s->header->state == WH_RUNNING)
        s->header->state = WH_ENDED;
}

static void drop_stream(struct stream *s)
{
    unmap_window(s);
    sys_unmap(s->header, WH_HEADER);
    sys_unmap(s->scratch, WH_HEADER + SCRATCH_SIZE);
    forget_stream(s);
}

static void set_crash_stack(struct stream *s);
static void drop_crash_stack(struct stream *s);

/* Destructors of the program's own keys may still log, so ours waits for the last round. */
static void end_thread(void *stream)
{
    struct stream *s = stream;
    if (++s->rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(ending, s);
        return;
    }
    struct lock_state lock = enter();
    wh_log = &nowhere;
    current = NULL;
    end_stream(s);
    drop_crash_stack(s);
    if (s->kind != WH_MAIN)
        drop_stream(s);
    leave(lock);
}

static void log_arguments(void);

void wh_room(void)
{
    if (wh_log->cursor > wh_log->limit)
        wh_more();
}

static void start_thread_stream(void)
{
    int is_main = syscall(SYS_gettid) == syscall(SYS_getpid);
    current = new_stream(is_main ? WH_MAIN : WH_THREAD);
    current->parent = start_parent;
    current->parent_offset = start_offset;
    open_stream(current);
    if (recording())
        set_crash_stack(current);
}

void wh_more(void)
{
    struct stream *s = current;
    if (s && s->scratch) {
        rewind_scratch(s);
        return;
    }
    struct lock_state lock = enter();
    begin(NULL, NULL);
    if (!s)
        start_thread_stream();
    else if (!s->header)
        open_stream(s); /* a handler that logs for the first time */
    else {
        if (s->header->state == WH_ENDED)
            s->header->state = WH_RUNNING;
        next_window(s);
    }
    wh_log = current->log;
    leave(lock);
    if (!s) {
        pthread_setspecific(ending, current);
        if (current->kind == WH_MAIN)
            log_arguments();
    }
}

struct thread_start {
    void *(*run)(void *);
    void *argument;
    uint32_t parent;
    uint64_t offset;
};

static void *run_thread(void *argument)
{
    struct thread_start start = *(struct thread_start *)argument;
    free(argument);
    start_parent = start.parent;
    start_offset = start.offset;
    return start.run(start.argument);
}

int wh_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *argument)
{
    wh_room();
    struct thread_start *start = malloc(sizeof *start);
    if (!start)
        return EAGAIN;
    *start = (struct thread_start){run, argument, wh_log->number, wh_offset(wh_log)};
    int error = pthread_create(thread, how, run_thread, start);
    if (error)
        free(start);
    return error;
}

/* The end of the process: our destructors run after those of the modules that use us. */
__attribute__((destructor(101))) static void end_process(void)
{
    struct lock_state lock = enter();
    for (struct stream *s = current; s; s = s->outer)
        end_stream(s);
    for (struct stream *s = streams; s; s = s->next) /* keep the files of running threads */
        if (s->header && s->header->state == WH_RUNNING)
            s->header->state = WH_ENDED;
    leave(lock);
}

/* Note the argument of exit() in the log of the thread that called it.  glibc calls this after the
 * handlers that the program registered, and calls it again if one of them calls exit() again. */
static void note_status(int status, void *unused_argument)
{
    (void)unused_argument;
    struct stream *s = current;
    while (s && !s->header) /* a handler of a signal that has not logged anything */
        s = s->outer;
    if (s) {
        s->header->status = status;
        s->header->has_status = 1;
    }
}

/* --- exec --- */

static void before_exec(void)
{
    wh_room();
    struct lock_state lock = enter();
    if (current->header) {
        settle(current);
        if (current->header->state == WH_RUNNING)
            current->header->state = WH_EXECED;
    }
    leave(lock);
}

static void exec_failed(void)
{
    wh_room();
    if (current->header && current->header->state == WH_EXECED)
        current->header->state = WH_RUNNING;
}

/* --- fork --- */

static struct lock_state fork_lock;

static void before_fork(void)
{
    fork_lock = enter();
    /* Copy the header now: the parent goes on writing into pages that the child sees. */
    for (struct stream *s = current; s; s = s->outer)
        if (s->header)
            s->at_fork = *s->header;
}

static void after_fork(void)
{
    leave(fork_lock);
}

/* Make the child's file: a copy of what the parent had logged, and room to go on. */
static void adopt(struct stream *s, const char *parent, uint32_t number)
{
    static char from[4200];
    struct wh_header *old = s->header;
    uint64_t end = wh_offset(&s->at_fork);
    char *p = append(append(append(append(from, trace_root), "/"), parent), "/");
    append(append_number(p, s->number), ".log");
    s->number = number;
    int whole = copy_file(from, log_path(number), end);
    unmap_window(s);
    sys_unmap(old, WH_HEADER);
    s->header = map_header(s);
    if (!s->header) {
        if (!s->scratch)
            go_scratch(s, end);
        return;
    }
    *s->header = s->at_fork;
    name_header(s);
    s->header->state = s->at_fork.state;
    s->file_size = end;
    trace_total += end;
    if (s->scratch)
        return; /* was already cut in the parent */
    s->log = s->header;
    if (whole)
        next_window(s);
    else
        cut(s, WH_DISK_FULL);
}

static void forget_sources(void);
static void choose_process(void);

/* Return the number of streams below this one: the outermost is number 0 in the child. */
static uint32_t depth(const struct stream *s)
{
    return s->outer ? depth(s->outer) + 1 : 0;
}

static void in_child(void)
{
    static char parent[48];
    append(parent, trace_name);
    for (struct stream *s = streams, *next; s; s = next) { /* the child has no other threads */
        next = s->next;
        struct stream *mine = current;
        while (mine && mine != s)
            mine = mine->outer;
        if (!mine)
            drop_stream(s);
    }
    trace_total = 0;
    next_number = current ? depth(current) + 1 : 1;
    if (recording()) {
        make_directory();
        if (recording()) {
            static char from[4200];
            append(append(append(append(from, trace_root), "/"), parent), "/modules");
            describe_process(parent);
            modules_cut |= !copy_file(from, file_path("modules"), modules_size);
        }
    }
    for (struct stream *s = current; s; s = s->outer) {
        if (s->kind == WH_THREAD)
            s->kind = WH_MAIN;
        if (s->outer)
            s->parent = depth(s->outer);
        else
            s->parent = 0, s->parent_offset = 0;
        if (s->header)
            adopt(s, parent, depth(s));
        else
            s->number = depth(s);
    }
    if (current)
        wh_log = current->log;
    forget_sources();
    choose_process();
    leave(fork_lock);
}

static void watch_forks(void)
{
    pthread_key_create(&ending, end_thread);
    pthread_atfork(before_fork, after_fork, in_child);
}
