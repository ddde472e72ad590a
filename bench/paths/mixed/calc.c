/* A calculator: reads one expression from the command line, with + - * / and brackets. */
#include <ctype.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

static const char *at;
static jmp_buf error;

static long sum(void);

static long unit(void) {
    while (*at == ' ')
        at++;
    if (*at == '(') {
        at++;
        long value = sum();
        if (*at++ != ')')
            longjmp(error, 1);
        return value;
    }
    if (*at == '-') {
        at++;
        return -unit();
    }
    if (!isdigit((unsigned char)*at))
        longjmp(error, 2);
    char *end;
    long value = strtol(at, &end, 10);
    at = end;
    while (*at == ' ')
        at++;
    return value;
}

static long product(void) {
    long value = unit();
    for (;;) {
        if (*at == '*') {
            at++;
            value *= unit();
        } else if (*at == '/') {
            at++;
            long by = unit();
            if (by == 0)
                longjmp(error, 3);
            value /= by;
        } else
            return value;
    }
}

static long sum(void) {
    long value = product();
    while (*at == '+' || *at == '-')
        value += *at++ == '+' ? product() : -product();
    return value;
}

int main(int argc, char **argv) {
    static const char *messages[] = { "", "missing )", "not a number", "division by zero" };
    at = argc > 1 ? argv[1] : "";
    int wrong = setjmp(error);
    if (wrong) {
        printf("error: %s\n", messages[wrong]);
        return 1;
    }
    long value = sum();
    if (*at) {
        printf("error: rest\n");
        return 1;
    }
    if (value > 100)
        printf("big %ld\n", value);
    else
        printf("%ld\n", value);
    return 0;
}
