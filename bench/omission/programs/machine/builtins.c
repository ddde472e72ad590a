#include <string.h>

#include "machine.h"

static long seed = 17;

static long run_abs(const long *arguments)
{
    return arguments[0] < 0 ? -arguments[0] : arguments[0];
}

static long run_max(const long *arguments)
{
    return arguments[0] > arguments[1] ? arguments[0] : arguments[1];
}

static long run_min(const long *arguments)
{
    return arguments[0] < arguments[1] ? arguments[0] : arguments[1];
}

static long run_random(const long *arguments)
{
    seed = (seed * 1103 + 12345) % 65536;
    return seed % arguments[0];
}

static long run_seed(const long *arguments)
{
    long before = seed;
    seed = arguments[0];
    return before;
}

static const struct builtin_entry builtins[] = {
    {"abs", 1, run_abs},
    {"max", 2, run_max},
    {"min", 2, run_min},
    {"random", 1, run_random},
    {"seed", 1, run_seed},
};

int find_builtin(const char *name)
{
    int i;
    for (i = 0; i < (int)(sizeof builtins / sizeof *builtins); i++)
        if (strcmp(builtins[i].name, name) == 0)
            return i;
    return -1;
}

const struct builtin_entry *builtin_at(int index)
{
    return &builtins[index];
}
