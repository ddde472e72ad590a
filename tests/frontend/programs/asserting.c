// A failed assert: a count that goes wrong in a loop and is detected later.
// signal: SIGABRT
// args: abracadabra
#include <assert.h>
#include <stdio.h>
#include <string.h>

static int count(const char *text, char wanted) {
    int n = 0;
    for (size_t i = 1; i < strlen(text); i++) // misses the first letter
        if (text[i] == wanted) n++;
    return n;
}

int main(int argc, char **argv) {
    assert(argc == 2);
    int found = count(argv[1], 'a');
    printf("%d\n", found);
    fflush(stdout);
    assert(found == 5);
    return 0;
}
