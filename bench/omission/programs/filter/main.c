/* filter [-n] [-c] script <text */
#include <stdlib.h>
#include <string.h>

#include "filter.h"

int main(int argc, char **argv)
{
    struct source source;
    struct output output;
    struct command *program = NULL;
    int i, count = 0;
    for (i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-n") == 0)
            silent = 1;
        else if (strcmp(argv[i], "-c") == 0)
            count = 1;
        else if (program == NULL)
            program = compile(argv[i]);
        else
            fail("one script is enough: ", argv[i]);
    }
    memset(&output, 0, sizeof output);
    output.file = stdout;
    open_source(&source);
    execute(program, &source, &output);
    if (count)
        printf("%ld lines, %ld replaced, %ld deleted, %ld printed\n", statistics.lines,
               statistics.replaced, statistics.deleted, statistics.printed);
    return 0;
}
