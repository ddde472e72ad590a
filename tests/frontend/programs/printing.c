// Output: the printf family with every directive, puts, putc, fwrite, write, buffering, stderr.
#define _GNU_SOURCE
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

int main(void) {
    printf("%d %i %5d|%-5d|%05d %+d % d %x %X %#x %o %#o %u %c %%\n", 1, -2, 3, 4, 5, 6, 7, 255, 255, 255, 8, 8, 9u, 'c');
    printf("%hhd %hd %ld %lld %zd %td %jd %hhu %hu %lu %llu %zu\n", (char)-1, (short)-2, -3L, -4LL, (ssize_t)-5,
           (ptrdiff_t)-6, (intmax_t)-7, (unsigned char)250, (unsigned short)65000, 8ul, 9ull, (size_t)10);
    printf("%f %.2f %10.3f|%-10.1f|%+f %e %.3E %g %G %a %A %Lf\n", 1.5, 2.345, 3.0, 4.25, 5., 12345.678, .00012, 1e-10,
           1e20, 1.0, 0.5, 2.5L);
    printf("%s|%10s|%-10s|%.3s|%*.*s|%-*s|\n", "str", "right", "left", "truncated", 8, 2, "stars", 6, "w");
    printf("skipped%s %s %.0f %5c|%-5c|\n" + 7, "positions", "no", 2.5, 'x', 'y');
    printf("%2$s %1$d %2$s\n", 5, "again");
    printf("%" PRId64 " %" PRIu32 " %ls %lc\n", INT64_C(-9), UINT32_C(8), L"wide", (wint_t)L'!');
    int so_far = 0, total = printf("count%n me\n", &so_far);
    char text[40], *grown;
    int n = snprintf(text, 8, "%s%d", "abcdef", 12345);
    printf("%d %d %s %d\n", so_far, total, text, n);
    n = sprintf(text, "%03d/%c", 7, 'q');
    n += asprintf(&grown, "<%s>", text);
    puts(grown), free(grown);
    fprintf(stdout, "to stdout %d\n", n), fprintf(stderr, "to stderr %d\n", n);
    putchar('p'), putc('q', stdout), fputc('\n', stdout), fputs("fputs\n", stdout);
    fwrite("some bytes\n", 1, 5, stdout), fwrite("\n", 1, 1, stdout);
    dprintf(2, "direct %s\n", "error");
    fflush(stdout);
    if (write(1, "written\n", 8) != 8) return 1;
    setvbuf(stdout, NULL, _IONBF, 0);
    printf("unbuffered "), printf("twice\n");
    char *memory;
    size_t size;
    FILE *stream = open_memstream(&memory, &size);
    fprintf(stream, "%d,%d", 10, 20), fclose(stream);
    printf("%s %zu %s\n", memory, size, NULL == memory ? "" : "ok");
    free(memory);
    perror("perror");
    return 0;
}
