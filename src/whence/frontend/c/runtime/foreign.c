/* Which bytes does code that is not recorded put out: a C++ library, a library of the project?
 *
 * These functions take the place of the C library's in the whole process.  They log what a caller
 * outside of the recorded objects puts out, and call the C library's function.  The hooks of
 * recorded code log the rest.  Only the shared library has them: a static program cannot have two
 * definitions of a function. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#undef putc
#undef putchar
#define MAX_TEXT 1024 /* bytes of one formatted text that are logged; guessed */

int wh_is_recorded(const void *address);
int wh_takes_announcement(void);
void wh_puts_out(int fd, long size, const void *at, const void *text);

/* The C library's function `name`; `type` is the type of a pointer to it. */
#define REAL(name)                                                                                 \
    static __typeof__(&name) real;                                                                 \
    if (!real)                                                                                     \
        real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
/* Recorded code announces its own calls.  The return address alone is not enough: a library that
 * ends with a jump to fwrite() returns to recorded code. */
#define IS_FOREIGN (!wh_takes_announcement() || !wh_is_recorded(__builtin_return_address(0)))

/* `at` is the memory that the text came from; NULL if it is no memory of the program. */
static void put_out(FILE *file, long size, const void *at, const void *text)
{
    int error = errno;
    wh_puts_out(fileno(file), size, at, text);
    errno = error;
}

ssize_t write(int fd, const void *at, size_t n)
{
    REAL(write);
    int is_foreign = IS_FOREIGN;
    ssize_t r = real(fd, at, n);
    if (is_foreign)
        wh_puts_out(fd, r, at, at);
    return r;
}

ssize_t writev(int fd, const struct iovec *parts, int n)
{
    REAL(writev);
    int is_foreign = IS_FOREIGN;
    ssize_t r = real(fd, parts, n), left = r;
    if (is_foreign)
        for (int i = 0; i < n && left > 0; left -= (ssize_t)parts[i++].iov_len) {
            size_t size = parts[i].iov_len;
            const void *at = parts[i].iov_base;
            wh_puts_out(fd, (size_t)left < size ? left : (ssize_t)size, at, at);
        }
    return r;
}

size_t fwrite(const void *at, size_t size, size_t n, FILE *file)
{
    REAL(fwrite);
    int is_foreign = IS_FOREIGN;
    size_t r = real(at, size, n, file);
    if (is_foreign)
        put_out(file, (long)(r * size), at, at);
    return r;
}

int fputs(const char *s, FILE *file)
{
    REAL(fputs);
    int is_foreign = IS_FOREIGN, r = real(s, file);
    if (r != EOF && is_foreign)
        put_out(file, (long)strlen(s), s, s);
    return r;
}

int puts(const char *s)
{
    REAL(puts);
    int is_foreign = IS_FOREIGN, r = real(s);
    if (r != EOF && is_foreign) {
        put_out(stdout, (long)strlen(s), s, s);
        put_out(stdout, 1, NULL, "\n");
    }
    return r;
}

#define PUTS_CHARACTER(name)                                                                       \
    int name(int c, FILE *file)                                                                    \
    {                                                                                              \
        REAL(name);                                                                                \
        int is_foreign = IS_FOREIGN, r = real(c, file);                                            \
        if (r != EOF && is_foreign)                                                                \
            put_out(file, 1, NULL, &(char){(char)c});                                              \
        return r;                                                                                  \
    }
PUTS_CHARACTER(fputc)
PUTS_CHARACTER(putc)

int putchar(int c)
{
    REAL(putchar);
    int is_foreign = IS_FOREIGN, r = real(c);
    if (r != EOF && is_foreign)
        put_out(stdout, 1, NULL, &(char){(char)c});
    return r;
}

/* --- formatted text --- */

static int print(FILE *file, const char *format, va_list list, int is_foreign)
{
    REAL(vfprintf);
    char text[MAX_TEXT];
    int size = -1;
    if (is_foreign) {
        va_list again;
        va_copy(again, list);
        size = vsnprintf(text, sizeof text, format, again);
        va_end(again);
    }
    int r = real(file, format, list);
    if (size >= 0 && r >= 0)
        put_out(file, r, NULL, size < MAX_TEXT ? text : NULL);
    return r;
}

int vfprintf(FILE *file, const char *format, va_list list) { return print(file, format, list, IS_FOREIGN); }
int vprintf(const char *format, va_list list) { return print(stdout, format, list, IS_FOREIGN); }
int __vfprintf_chk(FILE *file, int flag, const char *format, va_list list)
{
    (void)flag;
    return print(file, format, list, IS_FOREIGN);
}

#define PRINTS(name, file, last, ...)                                                              \
    int name(__VA_ARGS__, ...)                                                                     \
    {                                                                                              \
        va_list list;                                                                              \
        va_start(list, last);                                                                      \
        int r = print(file, last, list, IS_FOREIGN);                                               \
        va_end(list);                                                                              \
        return r;                                                                                  \
    }
PRINTS(printf, stdout, format, const char *format)
PRINTS(fprintf, file, format, FILE *file, const char *format)
PRINTS(__printf_chk, stdout, format, int flag, const char *format)
PRINTS(__fprintf_chk, file, format, FILE *file, int flag, const char *format)
