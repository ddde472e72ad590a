#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

int main(int argc, char **argv)
{
    static char source[8192];
    static struct program program;
    size_t length = fread(source, 1, sizeof source - 1, stdin);
    long left;
    source[length] = '\0';
    open_source(source);
    compile(&program);
    left = run(&program);
    if (argc > 1 && strcmp(argv[1], "-s") == 0)
        printf("%d words, %ld steps, %ld calls, deepest %d, left %ld\n", program.length,
               vm_statistics.steps, vm_statistics.calls, vm_statistics.deepest, left);
    return 0;
}
