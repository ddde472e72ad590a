// Upper case is not made lower case.
#include <ctype.h>
#include <stdio.h>
#include <string.h>
static void normal(char *s)
{
    for (size_t i = 0; s[i]; i++) {
        if (isupper(s[i]))
            s[i] = toupper(s[i]);  //- s[i] = tolower(s[i]);
        if (isspace(s[i]) || ispunct(s[i]))
            s[i] = '_';
    }
}
int main(void)
{
    char text[] = "Hi, You";
    normal(text);
    puts(text);
    if (strcmp(text, "hi__you") != 0)
        return 3;
    return 0;
}
//? why: strcmp(text, "hi__you") != 0
//? why: isupper(s[i])
//? explain: toupper(s[i])
//! why: __ctype
//! why: 0x100
