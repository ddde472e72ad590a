/* What did scanf read, and where did it store it? */

/* The position in a stdio stream before the call. */
static __thread struct {
    long position;
    const char *next, *end;
} scan_start;

static void scan_from(FILE *file)
{
    int error = errno;
    scan_start.position = ftello(file);
#ifdef __GLIBC__
    scan_start.next = file->_IO_read_ptr;
    scan_start.end = file->_IO_read_end;
#endif
    errno = error;
}

/* Return the number of bytes that the call took.  A pipe has no position, so its buffer tells:
 * it was read from the old position or, if it was filled again meanwhile, to its end and from
 * its start. */
static long scan_taken(FILE *file)
{
    int error = errno;
    long taken = ftello(file) - scan_start.position;
    errno = error;
    if (scan_start.position >= 0)
        return taken;
#ifdef __GLIBC__
    if (file->_IO_read_end == scan_start.end && file->_IO_read_ptr >= scan_start.next)
        return file->_IO_read_ptr - scan_start.next;
    return (scan_start.end - scan_start.next) + (file->_IO_read_ptr - file->_IO_read_base);
#else
    return 0;
#endif
}

/* Return the end of a "[...]" set, whose first character (after ^) may be "]". */
static const char *set_end(const char *p)
{
    p += *p == '^';
    p += *p == ']';
    while (*p && *p != ']')
        p++;
    return p;
}

static uint64_t scanned_size(char conversion, const char *length, int width, const void *to)
{
    int wide = length[0] == 'l' || conversion == 'S' || conversion == 'C';
    if (conversion == 'c' || conversion == 'C')
        return (uint64_t)(width ? width : 1) * (wide ? sizeof(wchar_t) : 1);
    if (conversion == 's' || conversion == 'S' || conversion == '[')
        return wide ? (wcslen(to) + 1) * sizeof(wchar_t) : strlen(to) + 1;
    if (strchr("aAeEfFgG", conversion))
        return length[0] == 'L' ? sizeof(long double) : length[0] == 'l' ? 8 : 4;
    if (conversion == 'p')
        return sizeof(void *);
    return length[0] == 'h' ? (length[1] ? 1 : 2) : length[0] ? 8 : 4;
}

/* Return the argument at a position, counted from 0. */
static void *pointer_at(va_list list, int position)
{
    va_list rest;
    va_copy(rest, list);
    while (position-- > 0)
        (void)va_arg(rest, void *);
    void *found = va_arg(rest, void *);
    va_end(rest);
    return found;
}

/* Log what was assigned: `count` conversions, and each %n that was reached before the next.  A %5c
 * that is not assigned may have stored the bytes that there were. */
static void scanned(const char *p, va_list list, int count)
{
    reads_string(p);
    while ((p = strchr(p, '%'))) {
        char length[3] = "";
        int width, position, allocate = 0, skip = p[1] == '*';
        p = read_position(p + 1 + skip, &position);
        p = read_number(p, &width);
        if (*p == '\'' || *p == 'I')
            p++;
        if (*p == 'm') {
            allocate = 1;
            p++;
        }
        if (*p && strchr("hlqjztL", *p)) {
            length[0] = *p++;
            if ((*p == 'h' || *p == 'l') && *p == length[0])
                length[1] = *p++;
        }
        char conversion = *p;
        if (!conversion)
            return;
        p = conversion == '[' ? set_end(p + 1) : p;
        p += *p != 0;
        if (conversion == '%' || skip)
            continue;
        int is_assigned = conversion == 'n' || count-- > 0;
        if (!is_assigned && (conversion != 'c' || width < 2 || allocate))
            return;
        void *to = position < 0 ? va_arg(list, void *) : pointer_at(list, position);
        if (allocate) {
            writes(to, sizeof(void *));
            to = *(void **)to;
            allocates(to, scanned_size(conversion, length, width, to));
        }
        writes(to, scanned_size(conversion, length, width, to));
        if (!is_assigned)
            return;
    }
}

static void scanned_file(int r, FILE *file, const char *f, va_list list)
{
    inputs(fd_of(file), scan_taken(file), NULL);
    scanned(f, list, r);
}

static void scanned_text(int r, const char *text, const char *f, va_list list)
{
    reads_string(text);
    scanned(f, list, r);
}

#define SCANNED(last, call)                                                                        \
    va_list list;                                                                                  \
    va_start(list, last);                                                                          \
    call;                                                                                          \
    va_end(list);

void wh_b_scanf(const char *f, ...) { (void)f; scan_from(stdin); }
void wh_a_scanf(int r, const char *f, ...) { SCANNED(f, scanned_file(r, stdin, f, list)) }
SAME(b, scanf, __isoc99_scanf)
SAME(a, scanf, __isoc99_scanf)
SAME(b, scanf, __isoc23_scanf)
SAME(a, scanf, __isoc23_scanf)
void wh_b_fscanf(FILE *file, const char *f, ...) { (void)f; scan_from(file); }
void wh_a_fscanf(int r, FILE *file, const char *f, ...) { SCANNED(f, scanned_file(r, file, f, list)) }
SAME(b, fscanf, __isoc99_fscanf)
SAME(a, fscanf, __isoc99_fscanf)
SAME(b, fscanf, __isoc23_fscanf)
SAME(a, fscanf, __isoc23_fscanf)
void wh_a_sscanf(int r, const char *s, const char *f, ...) { SCANNED(f, scanned_text(r, s, f, list)) }
SAME(a, sscanf, __isoc99_sscanf)
SAME(a, sscanf, __isoc23_sscanf)

void wh_b_vscanf(const char *f, va_list given) { (void)f; va_copy(kept_list, given); scan_from(stdin); }
void wh_a_vscanf(int r, const char *f, va_list given)
{
    (void)given;
    scanned_file(r, stdin, f, kept_list);
    va_end(kept_list);
}
SAME(b, vscanf, __isoc99_vscanf)
SAME(a, vscanf, __isoc99_vscanf)
SAME(b, vscanf, __isoc23_vscanf)
SAME(a, vscanf, __isoc23_vscanf)
void wh_b_vfscanf(FILE *file, const char *f, va_list given)
{
    (void)f;
    va_copy(kept_list, given);
    scan_from(file);
}
void wh_a_vfscanf(int r, FILE *file, const char *f, va_list given)
{
    (void)given;
    scanned_file(r, file, f, kept_list);
    va_end(kept_list);
}
SAME(b, vfscanf, __isoc99_vfscanf)
SAME(a, vfscanf, __isoc99_vfscanf)
SAME(b, vfscanf, __isoc23_vfscanf)
SAME(a, vfscanf, __isoc23_vfscanf)
void wh_b_vsscanf(const char *s, const char *f, va_list given)
{
    (void)s, (void)f;
    va_copy(kept_list, given);
}
void wh_a_vsscanf(int r, const char *s, const char *f, va_list given)
{
    (void)given;
    scanned_text(r, s, f, kept_list);
    va_end(kept_list);
}
SAME(b, vsscanf, __isoc99_vsscanf)
SAME(a, vsscanf, __isoc99_vsscanf)
SAME(b, vsscanf, __isoc23_vsscanf)
SAME(a, vsscanf, __isoc23_vsscanf)
