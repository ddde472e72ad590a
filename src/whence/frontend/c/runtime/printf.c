/* Which piece of printf's output came from which argument?
 *
 * The format is walked twice: first to find the type of each argument (they may be numbered, as
 * in %2$s), then, with the values, to find the length of each piece.  The v... forms are walked
 * before the call, because the call uses up the list. */
#include <stdarg.h>
#include <wchar.h>

#define MAX_ARGS 64 /* a format with more arguments is one piece; guessed */

enum argument { ARG_NONE, ARG_INT, ARG_LONG, ARG_DOUBLE, ARG_LONG_DOUBLE, ARG_POINTER };

union value {
    uint64_t integer;
    double real;
    long double long_real;
    void *pointer;
};

struct directive {
    const char *end;
    char flags[12];
    char length[3], conversion;
    int width, precision; /* constants; -1: none; -2: given by an argument */
    int width_arg, precision_arg, value_arg;
    enum argument type;
};

/* Formatting a real number raises floating-point flags that the program must not see. */
struct float_state {
#if defined(__x86_64__)
    struct {
        uint32_t words[7];
    } x87;
    uint32_t sse;
#elif defined(__aarch64__)
    uint64_t control, status;
#else
    char none;
#endif
};

static struct float_state save_floats(void)
{
    struct float_state s;
#if defined(__x86_64__)
    __asm__ volatile("fnstenv %0\n\tfldenv %0\n\tstmxcsr %1" : "=m"(s.x87), "=m"(s.sse));
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr\n\tmrs %1, fpsr" : "=r"(s.control), "=r"(s.status));
#endif
    return s;
}

static void restore_floats(struct float_state s)
{
#if defined(__x86_64__)
    __asm__ volatile("fldenv %0\n\tldmxcsr %1" : : "m"(s.x87), "m"(s.sse));
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0\n\tmsr fpsr, %1" : : "r"(s.control), "r"(s.status));
#endif
}

static const char *real_end(const char *s)
{
    char *end;
    int error = errno;
    struct float_state floats = save_floats();
    strtold(s, &end);
    restore_floats(floats);
    errno = error;
    return end;
}

/* --- reading a format --- */

static const char *read_number(const char *p, int *number)
{
    for (*number = 0; *p >= '0' && *p <= '9'; p++)
        *number = *number < 100000000 ? *number * 10 + (*p - '0') : *number;
    return p;
}

/* Read "3$": set the number of the argument, counted from 0; -1 if none is written. */
static const char *read_position(const char *p, int *position)
{
    int number;
    const char *end = read_number(p, &number);
    *position = end > p && *end == '$' ? number - 1 : -1;
    return *position >= 0 ? end + 1 : p;
}

/* Read a width or precision. */
static const char *read_size(const char *p, int *size, int *arg, int *next)
{
    if (*p != '*')
        return read_number(p, size);
    *size = -2;
    p = read_position(p + 1, arg);
    if (*arg < 0)
        *arg = (*next)++;
    return p;
}

static enum argument type_of(char conversion, const char *length)
{
    int wide = length[0] == 'l' || length[0] == 'j' || length[0] == 'z' || length[0] == 't' ||
               length[0] == 'q' || length[0] == 'Z' || length[0] == 'L';
    if (conversion && strchr("diouxXbB", conversion))
        return wide ? ARG_LONG : ARG_INT;
    if (conversion && strchr("aAeEfFgG", conversion))
        return length[0] == 'L' ? ARG_LONG_DOUBLE : ARG_DOUBLE;
    if (conversion && strchr("cC", conversion))
        return ARG_INT;
    return conversion && strchr("sSpn", conversion) ? ARG_POINTER : ARG_NONE;
}

/* Read the directive at `p`, which is a '%'; return 0 if it is unknown. */
static int read_directive(const char *p, struct directive *d, int *next)
{
    *d = (struct directive){.width = -1, .precision = -1, .value_arg = -1};
    size_t flags = 0;
    p = read_position(p + 1, &d->value_arg);
    for (; *p && strchr("-+ #0'I", *p); p++)
        if (flags < sizeof d->flags - 1 && !strchr(d->flags, *p))
            d->flags[flags++] = *p;
    if (*p == '*' || (*p >= '0' && *p <= '9'))
        p = read_size(p, &d->width, &d->width_arg, next);
    if (*p == '.')
        p = read_size(p + 1, &d->precision, &d->precision_arg, next);
    if (*p && strchr("hlqjztLZ", *p)) {
        d->length[0] = *p++;
        if ((*p == 'h' || *p == 'l') && *p == d->length[0])
            d->length[1] = *p++;
    }
    d->conversion = *p;
    d->end = p + 1;
    d->type = type_of(*p, d->length);
    if (d->type == ARG_NONE)
        return *p == '%' || *p == 'm';
    if (d->value_arg < 0)
        d->value_arg = (*next)++;
    return 1;
}

static int want(enum argument *types, int *count, int arg, enum argument type)
{
    if (arg >= MAX_ARGS)
        return 0;
    types[arg] = type;
    if (arg >= *count)
        *count = arg + 1;
    return 1;
}

/* Read the arguments of a format; return 0 for an unknown directive or too many arguments. */
static int read_arguments(const char *format, va_list list, union value *values)
{
    enum argument types[MAX_ARGS] = {ARG_NONE};
    struct directive d;
    int count = 0, next = 0;
    for (const char *p = strchr(format, '%'); p; p = strchr(d.end, '%')) {
        if (!read_directive(p, &d, &next))
            return 0;
        if ((d.width == -2 && !want(types, &count, d.width_arg, ARG_INT)) ||
            (d.precision == -2 && !want(types, &count, d.precision_arg, ARG_INT)) ||
            (d.type && !want(types, &count, d.value_arg, d.type)))
            return 0;
    }
    for (int i = 0; i < count; i++)
        switch (types[i]) {
        /* a gap in numbered arguments: the type is unknown, so the next place is, too */
        case ARG_NONE:
            return 0;
        case ARG_INT:
            values[i].integer = (uint64_t)va_arg(list, int);
            break;
        case ARG_LONG:
            values[i].integer = va_arg(list, uint64_t);
            break;
        case ARG_DOUBLE:
            values[i].real = va_arg(list, double);
            break;
        case ARG_LONG_DOUBLE:
            values[i].long_real = va_arg(list, long double);
            break;
        case ARG_POINTER:
            values[i].pointer = va_arg(list, void *);
            break;
        }
    return 1;
}

/* --- the pieces --- */

struct sink {
    int fd;         /* descriptor; -1: memory, or nowhere */
    char *memory;   /* memory, if the text goes there */
    uint64_t capacity; /* bytes that fit there, without the 0 */
    uint64_t done;  /* bytes so far */
    int first_arg;  /* number of the first argument after the format; -1: they are in a va_list */
};

/* `from` is the memory of the program that the piece is a copy of, if it is one; `text` is what the
 * piece consists of, if that is known. */
static void piece(struct sink *to, const char *from, const char *text, uint64_t size, int arg)
{
    if (to->memory) {
        uint64_t fits = to->done < to->capacity ? least(size, to->capacity - to->done) : 0;
        char *at = to->memory + to->done;
        if (fits && from)
            copies(at, from, fits);
        else
            writes(at, fits);
        if (fits)
            put_out(NULL, to->done, fits, at, NULL, arg);
    } else {
        outputs_text(to->fd, (long)size, from, text, arg);
    }
    to->done += size;
}

#define MAX_PIECE 1024 /* bytes of one formatted value whose text is logged; guessed */

/* Format a directive's value into `text`, which has room for MAX_PIECE bytes; return its length. */
static uint64_t formatted(char *text, const struct directive *d, const union value *value, int width,
                          int precision)
{
    char format[32], *p = append(append(append(format, "%"), d->flags), "*.*");
    p = append(p, d->length);
    p[0] = d->conversion;
    p[1] = 0;
    int n;
    switch (d->type) {
    case ARG_INT:
        n = snprintf(text, MAX_PIECE, format, width, precision, (int)value->integer);
        break;
    case ARG_DOUBLE:
        n = snprintf(text, MAX_PIECE, format, width, precision, value->real);
        break;
    case ARG_LONG_DOUBLE:
        n = snprintf(text, MAX_PIECE, format, width, precision, value->long_real);
        break;
    default:
        n = snprintf(text, MAX_PIECE, format, width, precision, value->pointer);
    }
    return n < 0 ? 0 : (uint64_t)n;
}

static void blanks(struct sink *to, uint64_t size, int arg)
{
    char text[256];
    memset(text, ' ', sizeof text);
    for (uint64_t part; size; size -= part) {
        part = least(size, sizeof text);
        piece(to, NULL, text, part, arg);
    }
}

static void narrow_string(struct sink *to, const char *s, int width, int precision, int left, int arg)
{
    size_t n = precision >= 0 ? strnlen(s, (size_t)precision) : strlen(s);
    size_t wide = (size_t)(width < 0 ? -(long)width : width), gap = wide > n ? wide - n : 0;
    reads(s, precision >= 0 && n == (size_t)precision ? n : n + 1);
    if (gap && !left)
        blanks(to, gap, arg);
    piece(to, s, s, n, arg);
    if (gap && left)
        blanks(to, gap, arg);
}

static void counted(const struct directive *d, void *to)
{
    char c = d->length[0];
    writes(to, c == 'h' ? (d->length[1] ? 1 : 2) : c ? 8 : 4);
}

static void directive_piece(struct sink *to, const struct directive *d, const union value *values)
{
    union value value = {0};
    int width = d->width == -2 ? (int)values[d->width_arg].integer : d->width < 0 ? 0 : d->width;
    int precision = d->precision == -2 ? (int)values[d->precision_arg].integer : d->precision;
    int arg = to->first_arg < 0 || d->value_arg < 0 ? -1 : to->first_arg + d->value_arg;
    int left = width < 0 || strchr(d->flags, '-') != NULL;
    if (d->type)
        value = values[d->value_arg];
    if (d->conversion == 'n') {
        counted(d, value.pointer);
    } else if (d->conversion == 's' && !d->length[0] && value.pointer) {
        narrow_string(to, value.pointer, width, precision, left, arg);
    } else {
        if ((d->conversion == 's' || d->conversion == 'S') && value.pointer && precision < 0)
            reads(value.pointer, (wcslen(value.pointer) + 1) * sizeof(wchar_t));
        char text[MAX_PIECE];
        uint64_t size = formatted(text, d, &value, width, precision);
        piece(to, NULL, size < sizeof text ? text : NULL, size, arg);
    }
}

static void known_pieces(struct sink *to, const char *format, const union value *values)
{
    struct directive d;
    int next = 0;
    for (const char *p = format; *p; p = d.end) {
        const char *text = p;
        p = strchrnul(p, '%');
        if (p > text)
            piece(to, text, text, (uint64_t)(p - text), -1);
        if (!*p)
            return;
        read_directive(p, &d, &next);
        if (d.conversion == '%')
            piece(to, d.end - 1, d.end - 1, 1, -1);
        else
            directive_piece(to, &d, values);
    }
}

/* Log what printing `format` does.  `total` is the length of the whole text; -1: not known yet. */
static void pieces(struct sink *to, const char *format, va_list list, long total)
{
    union value values[MAX_ARGS];
    int error = errno;
    struct float_state floats = save_floats();
    va_list again;
    va_copy(again, list);
    reads_string(format);
    if (read_arguments(format, list, values)) {
        known_pieces(to, format, values);
    } else {
        char text[MAX_PIECE];
        errno = error;
        int size = vsnprintf(text, sizeof text, format, again);
        total = total < 0 ? size : total;
        int known = size == total && size < (int)sizeof text;
        piece(to, NULL, known ? text : NULL, total < 0 ? 0 : (uint64_t)total, -1);
    }
    if (to->memory)
        writes(to->memory + least(to->done, to->capacity), 1);
    va_end(again);
    restore_floats(floats);
    errno = error;
}

static void to_file(int fd, const char *format, va_list list, long total, int first_arg)
{
    pieces(&(struct sink){.fd = fd, .first_arg = first_arg}, format, list, total);
}

/* `n` is the size of the memory; if it is 0, nothing is written. */
static void to_memory(char *at, size_t n, const char *format, va_list list, long total, int first_arg)
{
    struct sink sink = {.fd = -1, .first_arg = first_arg};
    if (n) {
        sink.memory = at;
        sink.capacity = n - 1;
    }
    pieces(&sink, format, list, total);
}

/* --- the functions --- */

#define AFTER(r, last, call)                                                                       \
    if ((r) >= 0) {                                                                                \
        va_list list;                                                                              \
        va_start(list, last);                                                                      \
        call;                                                                                      \
        va_end(list);                                                                              \
    }

void wh_a_printf(int r, const char *f, ...) { AFTER(r, f, to_file(fd_of(stdout), f, list, r, 1)) }
void wh_a_fprintf(int r, FILE *file, const char *f, ...) { AFTER(r, f, to_file(fd_of(file), f, list, r, 2)) }
void wh_a_dprintf(int r, int fd, const char *f, ...) { AFTER(r, f, to_file(fd, f, list, r, 2)) }
void wh_a_sprintf(int r, char *to, const char *f, ...) { AFTER(r, f, to_memory(to, SIZE_MAX, f, list, r, 2)) }
void wh_a_snprintf(int r, char *to, size_t n, const char *f, ...) { AFTER(r, f, to_memory(to, n, f, list, r, 3)) }
void wh_a_asprintf(int r, char **to, const char *f, ...)
{
    AFTER(r, f, (writes(to, sizeof *to), allocates(*to, (uint64_t)r + 1),
                 to_memory(*to, SIZE_MAX, f, list, r, 2)))
}
void wh_a___printf_chk(int r, int flag, const char *f, ...)
{
    (void)flag;
    AFTER(r, f, to_file(fd_of(stdout), f, list, r, 2))
}
void wh_a___fprintf_chk(int r, FILE *file, int flag, const char *f, ...)
{
    (void)flag;
    AFTER(r, f, to_file(fd_of(file), f, list, r, 3))
}
void wh_a___dprintf_chk(int r, int fd, int flag, const char *f, ...)
{
    (void)flag;
    AFTER(r, f, to_file(fd, f, list, r, 3))
}
void wh_a___sprintf_chk(int r, char *to, int flag, size_t most, const char *f, ...)
{
    (void)flag, (void)most;
    AFTER(r, f, to_memory(to, SIZE_MAX, f, list, r, 4))
}
void wh_a___snprintf_chk(int r, char *to, size_t n, int flag, size_t most, const char *f, ...)
{
    (void)flag, (void)most;
    AFTER(r, f, to_memory(to, n, f, list, r, 5))
}
void wh_a___asprintf_chk(int r, char **to, int flag, const char *f, ...)
{
    (void)flag;
    AFTER(r, f, (writes(to, sizeof *to), allocates(*to, (uint64_t)r + 1),
                 to_memory(*to, SIZE_MAX, f, list, r, 3)))
}

/* The memory of a list that was passed as an argument. */
#ifdef __x86_64__
#define LIST(given) ((const void *)(given))
#else
#define LIST(given) ((const void *)&(given))
#endif

#define BEFORE(call)                                                                               \
    va_list list;                                                                                  \
    reads(LIST(given), sizeof list);                                                               \
    va_copy(list, given);                                                                          \
    call;                                                                                          \
    va_end(list);

void wh_b_vprintf(const char *f, va_list given)
{
    BEFORE(to_file(fd_of(stdout), f, list, -1, -1))
    is_announced = 1;
}
void wh_b_vfprintf(FILE *file, const char *f, va_list given)
{
    BEFORE(to_file(fd_of(file), f, list, -1, -1))
    is_announced = 1;
}
void wh_b_vdprintf(int fd, const char *f, va_list given) { BEFORE(to_file(fd, f, list, -1, -1)) }
void wh_b_vsprintf(char *to, const char *f, va_list given) { BEFORE(to_memory(to, SIZE_MAX, f, list, -1, -1)) }
void wh_b_vsnprintf(char *to, size_t n, const char *f, va_list given)
{
    BEFORE(to_memory(to, n, f, list, -1, -1))
}
void wh_b___vprintf_chk(int flag, const char *f, va_list given)
{
    (void)flag;
    BEFORE(to_file(fd_of(stdout), f, list, -1, -1))
}
void wh_b___vfprintf_chk(FILE *file, int flag, const char *f, va_list given)
{
    (void)flag;
    BEFORE(to_file(fd_of(file), f, list, -1, -1))
    is_announced = 1;
}
void wh_b___vsprintf_chk(char *to, int flag, size_t most, const char *f, va_list given)
{
    (void)flag, (void)most;
    BEFORE(to_memory(to, SIZE_MAX, f, list, -1, -1))
}
void wh_b___vsnprintf_chk(char *to, size_t n, int flag, size_t most, const char *f, va_list given)
{
    (void)flag, (void)most;
    BEFORE(to_memory(to, n, f, list, -1, -1))
}

/* The place of the text is known after the call, its arguments only before: keep a copy of the
 * list. */
static __thread va_list kept_list;

void wh_b_vasprintf(char **to, const char *f, va_list given)
{
    (void)to, (void)f;
    reads(LIST(given), sizeof kept_list);
    va_copy(kept_list, given);
}
void wh_a_vasprintf(int r, char **to, const char *f, va_list given)
{
    (void)given;
    if (r >= 0) {
        writes(to, sizeof *to);
        allocates(*to, (uint64_t)r + 1);
        to_memory(*to, SIZE_MAX, f, kept_list, r, -1);
    }
    va_end(kept_list);
}

/* --- messages on standard error --- */

/* Old programs often have an error() or warn() of their own: then that function logs its output. */
#define OF_LIBRARY(name) (name && !wh_is_recorded((const void *)name))
#define OFTEN_OWN(type, name, ...) extern type name(__VA_ARGS__) __attribute__((weak));
OFTEN_OWN(void, error, int, int, const char *, ...)
OFTEN_OWN(void, error_at_line, int, int, const char *, unsigned, const char *, ...)
OFTEN_OWN(void, warn, const char *, ...)
OFTEN_OWN(void, warnx, const char *, ...)
OFTEN_OWN(void, err, int, const char *, ...)
OFTEN_OWN(void, errx, int, const char *, ...)
OFTEN_OWN(void, vwarn, const char *, va_list)
OFTEN_OWN(void, vwarnx, const char *, va_list)
OFTEN_OWN(void, verr, int, const char *, va_list)
OFTEN_OWN(void, verrx, int, const char *, va_list)
extern char *program_invocation_name __attribute__((weak));
extern char *program_invocation_short_name __attribute__((weak));

static void puts_text(const char *text)
{
    outputs_text(fd_of(stderr), (long)strlen(text), NULL, text, -1);
}
static void puts_reason(int error)
{
    char message[256];
    puts_text(": ");
    puts_text(strerror_r(error, message, sizeof message));
}
static void puts_program(char *const *name, const char *end)
{
    if (name && *name) {
        puts_text(*name);
        puts_text(end);
    }
}
/* The message of warn() and the like; `error` is 0 for those that give no reason. */
static void warns(const char *f, va_list list, int error, int first_arg)
{
    puts_program(&program_invocation_short_name, ": ");
    if (f)
        to_file(fd_of(stderr), f, list, -1, first_arg);
    if (f && error)
        puts_reason(error);
    puts_text("\n");
}
#define LISTED(last, call)                                                                         \
    va_list list;                                                                                  \
    int error_number = errno;                                                                      \
    va_start(list, last);                                                                          \
    call;                                                                                          \
    va_end(list);                                                                                  \
    errno = error_number;

void wh_b_error(int status, int number, const char *f, ...)
{
    (void)status;
    if (OF_LIBRARY(error)) {
        LISTED(f, puts_program(&program_invocation_name, ": ");
               to_file(fd_of(stderr), f, list, -1, 3);
               if (number) puts_reason(number);
               puts_text("\n"))
    }
}
void wh_b_error_at_line(int status, int number, const char *file, unsigned line, const char *f, ...)
{
    (void)status;
    if (OF_LIBRARY(error_at_line)) {
        char place[32];
        snprintf(place, sizeof place, file ? ":%u: " : " ", line);
        LISTED(f, puts_program(&program_invocation_name, ":");
               if (file) outputs_string(file, stderr);
               puts_text(place);
               to_file(fd_of(stderr), f, list, -1, 5);
               if (number) puts_reason(number);
               puts_text("\n"))
    }
}
void wh_b_warn(const char *f, ...) { if (OF_LIBRARY(warn)) { LISTED(f, warns(f, list, errno, 1)) } }
void wh_b_warnx(const char *f, ...) { if (OF_LIBRARY(warnx)) { LISTED(f, warns(f, list, 0, 1)) } }
void wh_b_err(int status, const char *f, ...)
{
    (void)status;
    if (OF_LIBRARY(err)) { LISTED(f, warns(f, list, errno, 2)) }
}
void wh_b_errx(int status, const char *f, ...)
{
    (void)status;
    if (OF_LIBRARY(errx)) { LISTED(f, warns(f, list, 0, 2)) }
}
void wh_b_vwarn(const char *f, va_list given) { if (OF_LIBRARY(vwarn)) { BEFORE(warns(f, list, errno, -1)) } }
void wh_b_vwarnx(const char *f, va_list given) { if (OF_LIBRARY(vwarnx)) { BEFORE(warns(f, list, 0, -1)) } }
void wh_b_verr(int status, const char *f, va_list given)
{
    (void)status;
    if (OF_LIBRARY(verr)) { BEFORE(warns(f, list, errno, -1)) }
}
void wh_b_verrx(int status, const char *f, va_list given)
{
    (void)status;
    if (OF_LIBRARY(verrx)) { BEFORE(warns(f, list, 0, -1)) }
}
