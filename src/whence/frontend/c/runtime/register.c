/* Where is this process recorded, and how is it described?  Its directory, `process` and
 * `modules`. */
#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <time.h>

extern char **environ;

static char trace_root[4000]; /* $WHENCE_TRACE, absolute; empty: nothing is recorded */
static char trace_name[48];   /* PID-N */
static char path_buffer[4200];
static uint64_t trace_limit = UINT64_MAX; /* $WHENCE_MAX_TRACE */
static uint64_t trace_total;              /* bytes of the files of all streams */
static uint64_t modules_size; /* size of the file `modules` */
static int modules_cut;                   /* was a module not written completely? */
static char **start_argv, **start_envp;

/* Where the parts of memory lie: an address in them is as far from these in every run that
 * allocates alike.  A run may lie elsewhere: the system may choose places at random, and the stack
 * lies below the texts of the environment. */
enum place { PLACE_PROGRAM, PLACE_HEAP, PLACE_MAPPED, PLACE_STACK, N_PLACES };
static uint64_t places[N_PLACES];

static int recording(void)
{
    return trace_root[0] != 0;
}

static char *append(char *to, const char *text)
{
    while (*text)
        *to++ = *text++;
    *to = 0;
    return to;
}

static char *append_number(char *to, uint64_t number)
{
    char digits[24], *p = digits + sizeof digits;
    *--p = 0;
    do
        *--p = (char)('0' + number % 10);
    while (number /= 10);
    return append(to, p);
}

/* Return the path of a file in this process's directory, valid until the next call. */
static const char *file_path(const char *name)
{
    append(append(append(append(append(path_buffer, trace_root), "/"), trace_name), "/"), name);
    return path_buffer;
}

static const char *log_path(uint32_t number)
{
    char name[24];
    append(append_number(name, number), ".log");
    return file_path(name);
}

/* --- process --- */

static char line_buffer[4096];
static size_t line_used;

static void flush_lines(int fd)
{
    write_all(fd, line_buffer, line_used);
    line_used = 0;
}

static void add_line(int fd, const char *key, const char *value)
{
    char *end = line_buffer + line_used;
    if (line_used > sizeof line_buffer - 64) {
        flush_lines(fd);
        end = line_buffer;
    }
    end = append(append(end, key), " ");
    for (; *value; value++) {
        unsigned char c = (unsigned char)*value;
        if (end > line_buffer + sizeof line_buffer - 8) {
            line_used = (size_t)(end - line_buffer);
            flush_lines(fd);
            end = line_buffer;
        }
        if (c <= 0x20 || c == '%' || c >= 0x7f) {
            *end++ = '%';
            *end++ = "0123456789ABCDEF"[c >> 4];
            *end++ = "0123456789ABCDEF"[c & 15];
        } else {
            *end++ = (char)c;
        }
    }
    *end++ = '\n';
    line_used = (size_t)(end - line_buffer);
}

static void add_number(int fd, const char *key, uint64_t number)
{
    char text[24];
    append_number(text, number);
    add_line(fd, key, text);
}

/* Write the file `process`, whole or, if this process is killed meanwhile, not at all. */
static void describe_process(const char *parent)
{
    static char unfinished[sizeof path_buffer];
    append(unfinished, file_path("process.new"));
    int fd = sys_open(unfinished, O_WRONLY | O_CREAT | O_TRUNC);
    if (fd < 0 || !size_allowed(1 << 20)) {
        sys_close(fd);
        return;
    }
    add_number(fd, "version", 1);
    add_number(fd, "pid", (uint64_t)syscall(SYS_getpid));
    add_number(fd, "ppid", (uint64_t)syscall(SYS_getppid));
    struct timespec now = {0, 0};
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    add_number(fd, "started", (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec);
    if (*parent)
        add_line(fd, "parent", parent);
    static char name[4096];
    long n = syscall(SYS_readlinkat, AT_FDCWD, "/proc/self/exe", name, sizeof name - 1);
    name[n < 0 ? 0 : n] = 0;
    add_line(fd, "exe", name);
    if (syscall(SYS_getcwd, name, sizeof name) > 0)
        add_line(fd, "cwd", name);
    for (char key[] = "fd0"; key[2] <= '2'; key[2]++) { /* where the standard streams lead */
        char link[] = "/proc/self/fd/?";
        link[sizeof link - 2] = key[2];
        n = syscall(SYS_readlinkat, AT_FDCWD, link, name, sizeof name - 1);
        name[n < 0 ? 0 : n] = 0;
        add_line(fd, key, name);
    }
    for (int i = 0; i < N_PLACES; i++)
        add_number(fd, "place", places[i]);
    for (char **arg = start_argv; arg && *arg; arg++)
        add_line(fd, "arg", *arg);
    for (char **env = start_envp; env && *env; env++)
        add_line(fd, "env", *env);
    flush_lines(fd);
    sys_close(fd);
    syscall(SYS_renameat2, AT_FDCWD, unfinished, AT_FDCWD, file_path("process"), 0);
}

/* If $WHENCE_STDIN is set, copy all that standard input will give into the file `stdin` of the
 * trace, and read it from there.  A file that still has a name needs no copy. */
static void keep_stdin(void)
{
    struct stat status;
    if (!getenv("WHENCE_STDIN") || syscall(SYS_fstat, 0, &status))
        return;
    int has_name = S_ISREG(status.st_mode) && status.st_nlink;
    if (has_name || S_ISCHR(status.st_mode) || S_ISDIR(status.st_mode))
        return;
    int fd = sys_open(file_path("stdin"), O_RDWR | O_CREAT | O_TRUNC);
    long n = 0;
    for (uint64_t all = 0; fd >= 0 && all < 16 << 20; all += (uint64_t)n) {
        n = syscall(SYS_read, 0, line_buffer, sizeof line_buffer);
        if (n <= 0 || !write_all(fd, line_buffer, (size_t)n))
            break;
    }
    if (fd >= 0) {
        syscall(SYS_lseek, fd, 0, SEEK_SET);
        syscall(SYS_dup3, fd, 0, 0);
        sys_close(fd);
    }
}

/* Make the directory of this process: PID-N with the first free N. */
static void make_directory(void)
{
    for (uint64_t n = 0;; n++) {
        char *end = append_number(trace_name, (uint64_t)syscall(SYS_getpid));
        append_number(append(end, "-"), n);
        append(append(append(path_buffer, trace_root), "/"), trace_name);
        if (syscall(SYS_mkdirat, AT_FDCWD, path_buffer, 0755) == 0)
            return;
        if (errno != EEXIST) {
            trace_root[0] = 0;
            return;
        }
    }
}

/* --- the start of recording --- */

static void watch_crashes(void);
static void watch_forks(void);
static void note_status(int status, void *unused_argument);
static void read_patch(void);

/* Return argv: the arguments lie right below the environment, after their number. */
static char **find_arguments(char **envp)
{
    char **p = envp - 1;
    for (long n = 0; n < 1 << 22; n++, p--)
        if (*(long *)(p - 1) == n)
            return p;
    return NULL;
}

static void note_places(void)
{
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    void *mapped = sys_map(page, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); /* memory comes next to it */
    sys_unmap(mapped, page);
    places[PLACE_PROGRAM] = getauxval(AT_PHDR);
    places[PLACE_HEAP] = (uint64_t)syscall(SYS_brk, 0);
    places[PLACE_MAPPED] = (uint64_t)mapped;
    places[PLACE_STACK] = (uint64_t)start_argv;
}

static int absolute_directory(const char *path)
{
    int fd = path && *path ? sys_open(path, O_PATH | O_DIRECTORY) : -1;
    if (fd < 0)
        return 0;
    char link[32];
    append_number(append(link, "/proc/self/fd/"), (uint64_t)fd);
    long n = syscall(SYS_readlinkat, AT_FDCWD, link, trace_root, sizeof trace_root - 64);
    sys_close(fd);
    if (n <= 0 && path[0] == '/' && strlen(path) < sizeof trace_root - 64)
        n = append(trace_root, path) - trace_root; /* /proc is not mounted */
    trace_root[n > 0 ? n : 0] = 0;
    return n > 0;
}

/* Find out once whether and where to record; called between enter() and leave(). */
static void begin(char **argv, char **envp)
{
    static int begun;
    if (begun)
        return;
    begun = 1;
    start_envp = envp ? envp : environ;
    start_argv = argv ? argv : find_arguments(start_envp);
    const char *limit = getenv("WHENCE_MAX_TRACE");
    if (limit && *limit >= '0' && *limit <= '9')
        trace_limit = strtoull(limit, NULL, 10);
    note_places();
    read_patch();
    watch_forks();
    if (!absolute_directory(getenv("WHENCE_TRACE")))
        return;
    make_directory();
    if (recording()) {
        describe_process("");
        keep_stdin();
        watch_crashes();
        on_exit(note_status, NULL);
    }
}

__attribute__((constructor(101))) static void begin_with(int argc, char **argv, char **envp)
{
    (void)argc;
    struct lock_state lock = enter();
    begin(argv, envp);
    leave(lock);
}

/* --- modules --- */

static int is_zero(const char *p, uint64_t size)
{
    return size == 0 || (p[0] == 0 && memcmp(p, p + 1, size - 1) == 0);
}

/* Write bytes at the file's position, with holes for zero pages (large empty arrays). */
static int write_sparse(int fd, const char *data, uint64_t size)
{
    while (size) {
        uint64_t n = size < 4096 ? size : 4096;
        if (is_zero(data, n))
            syscall(SYS_lseek, fd, n, SEEK_CUR);
        else if (!write_all(fd, data, n))
            return 0;
        data += n;
        size -= n;
    }
    return 1;
}

static uint64_t module_size(const struct wh_module *m)
{
    uint64_t size = 16 + strlen(m->id) + 8ull * m->n_symbols;
    for (uint32_t i = 0; i < m->n_snap; i++)
        size += 16 + m->snap_size[i];
    return size;
}

static int write_module(int fd, const struct wh_module *m)
{
    uint32_t head[2] = {WH_MODULE_MAGIC, (uint32_t)strlen(m->id)};
    int fine = write_all(fd, head, 8) && write_all(fd, m->id, head[1]) &&
               write_all(fd, &m->n_symbols, 4) && write_all(fd, m->symbols, 8ull * m->n_symbols) &&
               write_all(fd, &m->n_snap, 4);
    for (uint32_t i = 0; fine && i < m->n_snap; i++) {
        uint32_t which[2] = {m->snap_index[i], 0};
        fine = write_all(fd, which, 8) && write_all(fd, &m->snap_size[i], 8) &&
               write_sparse(fd, m->symbols[m->snap_index[i]], m->snap_size[i]);
    }
    return fine;
}

/* --- recorded objects: the program and libraries that contain recorded modules --- */

#define MAX_OBJECTS 256 /* recorded objects that are known; guessed */
static struct recorded_object {
    const char *start, *end;
} recorded_objects[MAX_OBJECTS];
static int n_recorded_objects;

/* Note the loaded object that contains `module`; called for each loaded object. */
static int note_object(struct dl_phdr_info *info, size_t size, void *module)
{
    (void)size;
    struct recorded_object object = {(const char *)UINTPTR_MAX, NULL};
    int is_here = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const char *start = (const char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        const char *end = start + info->dlpi_phdr[i].p_memsz;
        if (info->dlpi_phdr[i].p_type != PT_LOAD)
            continue;
        object.start = start < object.start ? start : object.start;
        object.end = end > object.end ? end : object.end;
        is_here |= start <= (const char *)module && (const char *)module < end;
    }
    if (is_here)
        recorded_objects[n_recorded_objects++] = object;
    return is_here;
}

int wh_is_recorded(const void *address)
{
    for (int i = 0; i < n_recorded_objects; i++)
        if (recorded_objects[i].start <= (const char *)address &&
            (const char *)address < recorded_objects[i].end)
            return 1;
    return 0;
}

void wh_register(const struct wh_module *module)
{
    struct lock_state lock = enter();
    if (n_recorded_objects < MAX_OBJECTS && !wh_is_recorded(module))
        dl_iterate_phdr(note_object, (void *)module);
    begin(NULL, NULL);
    if (recording()) {
        int fd = sys_open(file_path("modules"), O_WRONLY | O_CREAT);
        uint64_t start = modules_size, end = start + module_size(module);
        syscall(SYS_lseek, fd, start, SEEK_SET);
        if (fd < 0 || !size_allowed(end) || !write_module(fd, module)) {
            modules_cut = 1;
            end = start;
        }
        sys_truncate(fd, end);
        modules_size = end;
        sys_close(fd);
    }
    leave(lock);
}
