#include <ctype.h>
#include <stdio.h>
#include <string.h>
enum token { END, NUMBER, NAME, PLUS };
static const char *at;
static enum token next(int *value)
{
    while (isspace((unsigned char)*at))
        at++;
    if (*at == '\0')
        return END;
    if (isdigit((unsigned char)*at)) {
        *value = 0;
        do
            *value = *value * 10 + (*at++ - '0');
        while (isdigit((unsigned char)*at) && *value < 10);  //- while (isdigit((unsigned char)*at));
        return NUMBER;
    }
    if (isalpha((unsigned char)*at) || *at == '_') {
        while (isalnum((unsigned char)*at))
            at++;
        return NAME;
    }
    at++;
    return PLUS;
}
int main(void)
{
    int value = 0, sum = 0;
    enum token t;
    at = "120 + x + 3";
    while ((t = next(&value)) != END)
        if (t == NUMBER)
            sum += value;
    printf("%d\n", sum);
    return sum == 123 ? 0 : 5;
}
//? why: (t = next(&value)) != END
//? why: isdigit((unsigned char)*at) && *value < 10
//? why: t == NUMBER
//! why: 0x800
