// Standard input in every way: getchar, ungetc, fgets, getline, fread, getc, then read to the end.
// stdin: abc\nsecond line\na third, longer line to grow\n0123456789and the rest\nlast
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(void) {
    setvbuf(stdin, NULL, _IONBF, 0); // so that read() below continues where stdio stopped
    int c, letters = 0;
    while ((c = getchar()) != '\n') letters += c;
    printf("%d\n", letters);
    c = getc(stdin), ungetc(c, stdin);
    char line[64], digits[11] = "", *grown = NULL;
    printf("%s", fgets(line, sizeof line, stdin));
    size_t room = 0;
    ssize_t length = getline(&grown, &room, stdin);
    printf("%zd %s", length, grown);
    printf("%zu ", fread(digits, 2, 5, stdin)), printf("%s\n", digits);
    length = getdelim(&grown, &room, 'r', stdin);
    printf("%zd %s\n", length, grown);
    free(grown);
    long sum = 0;
    ssize_t n;
    while ((n = read(0, line, 5)) > 0)
        for (ssize_t i = 0; i < n; i++) sum = sum * 31 + line[i];
    printf("%ld %d\n", sum, getchar() == EOF);
    return feof(stdin) ? 0 : 1;
}
