// Blocks of memory and strings: the heap, mem* and str* functions, overlapping moves, ctype.
#define _GNU_SOURCE
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <wchar.h>

struct record { int id; char name[12]; double weight; };
struct block { char bytes[300]; };

static void memory(void) {
    char a[32] = "abcdefghijklmnopqrstuvwxyz", b[32];
    memcpy(b, a, sizeof a);
    memmove(b + 2, b, 10), memmove(a, a + 3, 10);
    memset(b + 20, '-', 4);
    printf("%s %s %d %d\n", a, b, memcmp(a, b, 5) > 0, memcmp(a, a, 32));
    printf("%s %s %s\n", (char *)memchr(a, 'z', 26), (char *)memrchr(b, '-', 26), (char *)memmem(b, 26, "cd", 2));
    struct block x, y;
    memset(&x, 3, sizeof x), y = x, y.bytes[299]++;
    struct block *list = calloc(3, sizeof x);
    list[1] = y;
    list = realloc(list, 50 * sizeof x);
    list[40] = list[1], list[2] = *(list + 40);
    printf("%d %d %d\n", list[0].bytes[5], list[2].bytes[299], memcmp(&list[1], &list[2], sizeof x));
    free(list);
    struct record *r = malloc(sizeof *r), copy;
    *r = (struct record){7, "seven", 2.5}, copy = *r, strcat(copy.name, "th");
    printf("%d %s %g %s\n", r->id, copy.name, copy.weight, r->name);
    free(r), free(NULL);
    void *aligned;
    printf("%d", posix_memalign(&aligned, 64, 100)), printf(" %d\n", (int)((unsigned long)aligned % 64));
    free(aligned), aligned = aligned_alloc(32, 64), free(aligned);
    bzero(b, 3), bcopy(a, b, 2);
    printf("%s\n", b);
    mempcpy(mempcpy(b, "xy", 2), "zw", 3);
    printf("%s\n", b);
}

static void strings(void) {
    char s[64] = "the quick", t[64];
    strcpy(t, s), strncpy(t + 4, "slow", 4), strcat(s, " brown"), strncat(s, " foxes", 4);
    printf("%s|%s|%zu|%zu\n", s, t, strlen(s), strnlen(s, 5));
    printf("%d %d %d %d\n", strcmp(s, t) < 0, strncmp(s, t, 4), strcasecmp("AbC", "aBc"), strncasecmp("XY", "xz", 1));
    printf("%s %s %s %s\n", strchr(s, 'q'), strrchr(s, 'o'), strstr(s, "bro"), strpbrk(s, "xk"));
    printf("%zu %zu %s\n", strspn(s, "eht "), strcspn(s, "q"), stpcpy(t, "end") - 3);
    char line[] = "a,b;;c", *rest, *part;
    for (part = strtok_r(line, ",;", &rest); part; part = strtok_r(NULL, ",;", &rest)) printf("<%s>", part);
    char two[] = "x=1,y", *at = two;
    while ((part = strsep(&at, "=,"))) printf("[%s]", part);
    char *dup = strdup(s), *ndup = strndup(s, 3);
    printf("%s %s %s\n", dup, ndup, strerror(2));
    free(dup), free(ndup);
    printf("%ld %lx %lld %g %d %ld\n", strtol("-42x", &part, 10), strtoul("ff", NULL, 16), strtoll("077", NULL, 0),
           strtod("2.5e3", NULL), atoi("17"), atol("99"));
    printf("%s %g %lld\n", part, atof("0.125"), atoll("5"));
    for (const char *c = "aZ5 _\n"; *c; c++)
        printf("%d%d%d%d%d%c", !!isalpha(*c), !!isdigit(*c), !!isspace(*c), !!isupper(*c), !!ispunct(*c), toupper(*c));
    wchar_t wide[] = L"wide", other[8];
    wcscpy(other, wide);
    printf("%zu %ls\n", wcslen(other), other);
}

int main(void) {
    memory();
    strings();
    return 0;
}
