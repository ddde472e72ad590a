// Input by format: scanf from stdin, sscanf with every directive, what is left over, failures.
// stdin: 12 -7 0x1f word 2.5 c\nrest of the line\n99 bottles\n
#include <stdio.h>
#include <stdlib.h>

int main(void) {
    int a, b, n = 0;
    unsigned hex;
    char word[16], c, line[40];
    double real;
    printf("%d\n", scanf("%d %d %x %15s %lf %c", &a, &b, &hex, word, &real, &c));
    printf("%d %d %u %s %g %c\n", a, b, hex, word, real, c);
    printf("%d %s|\n", scanf(" %39[^\n]", line), line);
    printf("%d %d\n", scanf("%d apples%n", &a, &n), a);
    printf("%d %s %d\n", scanf("%s", word), word, scanf("%d", &a));

    short s;
    long l;
    long long ll;
    float f;
    char *grown, set[8], pair[3] = "";
    void *pointer;
    int got = sscanf("-5 77777777777 0777 1.25 skip abcxyz K9 0x10", "%hd %ld %lli %f %*s %7[a-c]xyz %2c %p", &s, &l,
                     &ll, &f, set, pair, &pointer);
    printf("%d %d %ld %lld %g %s %s %d\n", got, s, l, ll, f, set, pair, pointer == (void *)16);
    signed char tiny;
    size_t size;
    got = sscanf("12,34|word", "%hhd,%zu|%ms%n", &tiny, &size, &grown, &n);
    printf("%d %d %zu %s %d\n", got, tiny, size, grown, n);
    free(grown);
    got = sscanf("7 3.5 end", "%3$d %1$lf %2$15s", &real, word, &a);
    printf("%d %g %s %d\n", got, real, word, a);
    char few[6] = ".....";
    got = sscanf("abc", "%5c", few);
    printf("%d %c%c%c%c\n", got, few[0], few[1], few[2], few[3]);
    return 0;
}
