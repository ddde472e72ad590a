/* Which bytes of which file do the functions on descriptors and stdio streams read and write? */
#include <sys/socket.h>
#include <sys/uio.h>

/* --- descriptors --- */

void wh_a_open(int r, const char *path, int flags, ...) { (void)flags; reads_string(path); forget_fd(r); }
SAME(a, open, open64)
void wh_a_openat(int r, int at, const char *path, int flags, ...)
{
    (void)at, (void)flags;
    reads_string(path);
    forget_fd(r);
}
SAME(a, openat, openat64)
void wh_a_creat(int r, const char *path, int mode) { (void)mode; reads_string(path); forget_fd(r); }
void wh_b_close(int fd) { forget_fd(fd); }
void wh_a_dup(int r, int fd) { share_fd(r, fd); }
void wh_a_dup2(int r, int fd, int to) { (void)to; share_fd(r, fd); }
void wh_a_dup3(int r, int fd, int to, int flags) { (void)flags; wh_a_dup2(r, fd, to); }
void wh_a_fcntl(int r, int fd, int command, ...)
{
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        share_fd(r, fd);
}
SAME(a, fcntl, fcntl64)
void wh_a_pipe(int r, int fds[2])
{
    if (r == 0) {
        writes(fds, 2 * sizeof *fds);
        forget_fd(fds[0]);
        forget_fd(fds[1]);
    }
}
void wh_a_pipe2(int r, int fds[2], int flags) { (void)flags; wh_a_pipe(r, fds); }
void wh_a_socket(int r, int domain, int type, int protocol)
{
    (void)domain, (void)type, (void)protocol;
    forget_fd(r);
}
void wh_a_accept(int r, int fd, void *address, void *size)
{
    (void)fd, (void)address, (void)size;
    forget_fd(r);
}
void wh_a_lseek(off_t r, int fd, off_t offset, int whence) { (void)offset, (void)whence; seeks(fd, r); }
SAME(a, lseek, lseek64)

void wh_a_read(ssize_t r, int fd, void *at, size_t n) { (void)n; inputs(fd, r, at); }
void wh_a___read_chk(ssize_t r, int fd, void *at, size_t n, size_t most)
{
    (void)n, (void)most;
    inputs(fd, r, at);
}
void wh_a_pread(ssize_t r, int fd, void *at, size_t n, off_t offset)
{
    (void)n;
    inputs_at(fd, r, at, (uint64_t)offset);
}
SAME(a, pread, pread64)
void wh_a_readv(ssize_t r, int fd, const struct iovec *parts, int n)
{
    reads(parts, (size_t)n * sizeof *parts);
    for (int i = 0; i < n && r > 0; r -= (ssize_t)parts[i++].iov_len)
        inputs(fd, (long)least((size_t)r, parts[i].iov_len), parts[i].iov_base);
}
void wh_a_recv(ssize_t r, int fd, void *at, size_t n, int flags)
{
    (void)n;
    if (!(flags & MSG_PEEK))
        inputs(fd, (long)least(r < 0 ? 0 : (size_t)r, n), at);
    else if (r > 0)
        writes(at, least((size_t)r, n));
}
void wh_a_recvfrom(ssize_t r, int fd, void *at, size_t n, int flags, void *from, void *size)
{
    (void)from, (void)size;
    wh_a_recv(r, fd, at, n, flags);
}
void wh_a_write(ssize_t r, int fd, const void *at, size_t n) { (void)n; outputs(fd, r, at, 1); }
void wh_a_pwrite(ssize_t r, int fd, const void *at, size_t n, off_t offset)
{
    (void)n;
    outputs_at(fd, r, at, 1, (uint64_t)offset);
}
SAME(a, pwrite, pwrite64)
void wh_a_writev(ssize_t r, int fd, const struct iovec *parts, int n)
{
    reads(parts, (size_t)n * sizeof *parts);
    for (int i = 0; i < n && r > 0; r -= (ssize_t)parts[i++].iov_len)
        outputs(fd, (long)least((size_t)r, parts[i].iov_len), parts[i].iov_base, 1);
}
void wh_a_send(ssize_t r, int fd, const void *at, size_t n, int flags)
{
    (void)n, (void)flags;
    outputs(fd, r, at, 1);
}
void wh_a_sendto(ssize_t r, int fd, const void *at, size_t n, int flags, const void *to, int size)
{
    (void)n, (void)flags, (void)to, (void)size;
    outputs(fd, r, at, 1);
}
/* Files that are mapped shared: what the program stores there is written to the file. */
#define MAX_SHARED 64 /* mappings that are followed at a time; guessed */
static struct shared_mapping {
    const char *at;
    uint64_t size, offset; /* bytes of the file, and where they begin in it */
    struct source *source;
} shared_mappings[MAX_SHARED];

static void shares_file(const char *at, uint64_t size, int fd, uint64_t offset)
{
    struct source *s = announced_source(fd);
    struct lock_state lock = enter();
    int i = 0;
    while (i < MAX_SHARED && shared_mappings[i].at)
        i++;
    if (s && i < MAX_SHARED) {
        s->uses++; /* the program may close its descriptor before it stores anything */
        shared_mappings[i] = (struct shared_mapping){at, size, offset, s};
    }
    leave(lock);
}

/* Log the contents of the mappings in at..at+n as output to their files; `is_end`: they go away. */
static void puts_out_mappings(const char *at, size_t n, int is_end)
{
    for (int i = 0; i < MAX_SHARED; i++) {
        struct shared_mapping *m = &shared_mappings[i];
        if (!m->at || m->at < at || (size_t)(m->at - at) >= n)
            continue;
        put_out(m->source, m->offset, m->size, m->at, m->at, -1);
        if (is_end)
            m->at = NULL;
    }
}

void wh_a_mmap(void *r, void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
    (void)at;
    if (r == MAP_FAILED)
        return;
    if (flags & MAP_ANONYMOUS) {
        allocates(r, n);
        writes(r, n);
        return;
    }
    struct stat status;
    int error = errno;
    if (syscall(SYS_fstat, fd, &status) == 0 && status.st_size > offset) {
        uint64_t size = least(n, (uint64_t)(status.st_size - offset));
        inputs_at(fd, (long)size, r, (uint64_t)offset);
        if ((flags & MAP_SHARED) && (protection & PROT_WRITE))
            shares_file(r, size, fd, (uint64_t)offset);
    }
    errno = error;
}
SAME(a, mmap, mmap64)
void wh_b_munmap(void *at, size_t n)
{
    puts_out_mappings(at, n, 1);
    frees(at);
}
void wh_b_msync(void *at, size_t n, int flags) { (void)flags; puts_out_mappings(at, n, 0); }

/* --- stdio: files --- */

void wh_a_fopen(FILE *r, const char *path, const char *mode)
{
    reads_string(path);
    reads_string(mode);
    forget_fd(fd_of(r));
}
SAME(a, fopen, fopen64)
SAME(a, fopen, popen)
void wh_a_tmpfile(FILE *r) { forget_fd(fd_of(r)); }
SAME(a, tmpfile, tmpfile64)
void wh_b_fclose(FILE *file) { forget_fd(fd_of(file)); }
SAME(b, fclose, pclose)
void wh_b_freopen(const char *path, const char *mode, FILE *file)
{
    (void)path, (void)mode;
    forget_fd(fd_of(file));
}
void wh_a_freopen(FILE *r, const char *path, const char *mode, FILE *file)
{
    (void)file;
    wh_a_fopen(r, path, mode);
}
SAME(b, freopen, freopen64)
SAME(a, freopen, freopen64)

static void seeks_to(FILE *file)
{
    int error = errno;
    seeks(fd_of(file), ftello(file));
    errno = error;
}
void wh_a_fseek(int r, FILE *file, long offset, int whence)
{
    (void)r, (void)offset, (void)whence;
    seeks_to(file);
}
SAME(a, fseek, fseeko)
SAME(a, fseek, fseeko64)
void wh_a_fsetpos(int r, FILE *file, const void *to) { (void)r, (void)to; seeks_to(file); }
SAME(a, fsetpos, fsetpos64)
void wh_a_rewind(FILE *file) { seeks_to(file); }

/* --- stdio: input --- */

void wh_a_fread(size_t r, void *at, size_t size, size_t n, FILE *file)
{
    (void)n;
    inputs(fd_of(file), (long)(r * size), at);
}
SAME(a, fread, fread_unlocked)
void wh_a_fgetc(int r, FILE *file) { inputs(fd_of(file), r != EOF, NULL); }
SAME(a, fgetc, getc)
SAME(a, fgetc, _IO_getc)
SAME(a, fgetc, getc_unlocked)
SAME(a, fgetc, fgetc_unlocked)
void wh_a_getchar(int r) { wh_a_fgetc(r, stdin); }
SAME(a, getchar, getchar_unlocked)
void wh_a_ungetc(int r, int c, FILE *file)
{
    (void)c;
    struct source *s = r != EOF ? source_of(fd_of(file)) : NULL;
    if (s && s->input)
        s->input--;
}
SAME(a, ungetc, _IO_ungetc)
static void inputs_line(char *line, FILE *file)
{
    if (line) {
        size_t n = strlen(line);
        inputs(fd_of(file), (long)n, line);
        writes(line + n, 1);
    }
}
void wh_a_fgets(char *r, char *at, int n, FILE *file) { (void)at, (void)n; inputs_line(r, file); }
SAME(a, fgets, fgets_unlocked)
void wh_a___fgets_chk(char *r, char *at, size_t most, int n, FILE *file)
{
    (void)at, (void)most, (void)n;
    inputs_line(r, file);
}
void wh_a_gets(char *r, char *at)
{
    (void)at;
    inputs_line(r, stdin);
    if (r && !feof(stdin))
        inputs(0, 1, NULL); /* the newline, which is dropped */
}
void wh_a_getdelim(ssize_t r, char **line, size_t *size, int end, FILE *file)
{
    (void)end;
    if (r < 0)
        return;
    writes(line, sizeof *line);
    writes(size, sizeof *size);
    inputs(fd_of(file), r, *line);
    writes(*line + r, 1);
}
SAME(a, getdelim, __getdelim)
void wh_a_getline(ssize_t r, char **line, size_t *size, FILE *file)
{
    wh_a_getdelim(r, line, size, '\n', file);
}

/* --- stdio: output --- */

/* The functions of foreign.c: the hooks after these calls log what they put out. */
#define UNUSED __attribute__((unused))
#define ANNOUNCES(name, ...)                                                                       \
    void wh_b_##name(__VA_ARGS__) { is_announced = 1; }
ANNOUNCES(write, UNUSED int fd, UNUSED const void *at, UNUSED size_t n)
ANNOUNCES(writev, UNUSED int fd, UNUSED const struct iovec *parts, UNUSED int n)
ANNOUNCES(fwrite, UNUSED const void *at, UNUSED size_t size, UNUSED size_t n, UNUSED FILE *file)
ANNOUNCES(fputs, UNUSED const char *s, UNUSED FILE *file)
ANNOUNCES(puts, UNUSED const char *s)
ANNOUNCES(fputc, UNUSED int c, UNUSED FILE *file)
SAME(b, fputc, putc)
ANNOUNCES(putchar, UNUSED int c)
ANNOUNCES(printf, UNUSED const char *f, ...)
ANNOUNCES(fprintf, UNUSED FILE *file, UNUSED const char *f, ...)
ANNOUNCES(__printf_chk, UNUSED int flag, UNUSED const char *f, ...)
ANNOUNCES(__fprintf_chk, UNUSED FILE *file, UNUSED int flag, UNUSED const char *f, ...)

void wh_a_fwrite(size_t r, const void *at, size_t size, size_t n, FILE *file)
{
    (void)n;
    outputs(fd_of(file), (long)(r * size), at, 0);
}
SAME(a, fwrite, fwrite_unlocked)
static void outputs_string(const char *s, FILE *file)
{
    size_t n = strlen(s);
    outputs(fd_of(file), (long)n, s, 0);
    reads(s + n, 1);
}
void wh_a_fputs(int r, const char *s, FILE *file)
{
    if (r != EOF)
        outputs_string(s, file);
}
SAME(a, fputs, fputs_unlocked)
void wh_a_puts(int r, const char *s)
{
    if (r != EOF) {
        outputs_string(s, stdout);
        outputs_text(fd_of(stdout), 1, NULL, "\n", -1);
    }
}
void wh_a_fputc(int r, int c, FILE *file)
{
    outputs_text(fd_of(file), r != EOF, NULL, &(char){(char)c}, 0);
}
SAME(a, fputc, putc)
SAME(a, fputc, _IO_putc)
SAME(a, fputc, putc_unlocked)
SAME(a, fputc, fputc_unlocked)
void wh_a_putchar(int r, int c) { wh_a_fputc(r, c, stdout); }
SAME(a, putchar, putchar_unlocked)
void wh_b_perror(const char *s)
{
    char message[256];
    int error = errno, fd = fd_of(stderr);
    const char *text = strerror_r(error, message, sizeof message);
    if (s && *s) {
        outputs_string(s, stderr);
        outputs_text(fd, 2, NULL, ": ", -1);
    }
    outputs_text(fd, (long)strlen(text), NULL, text, -1);
    outputs_text(fd, 1, NULL, "\n", -1);
    errno = error;
}
