// Digits end a word, though they should not.
#include <ctype.h>
#include <stdio.h>
static int words(const char *s)
{
    int n = 0, in = 0;
    for (; *s; s++) {
        if (isalpha((unsigned char)*s) && !in) {  //- if (isalnum((unsigned char)*s) && !in) {
            n++;
            in = 1;
        } else if (!isalpha((unsigned char)*s)) {  //- } else if (!isalnum((unsigned char)*s)) {
            in = 0;
        }
    }
    return n;
}
int main(void)
{
    int n = words("ab c9d ef");
    printf("%d\n", n);
    return n != 3;
}
//? why: `isalpha((unsigned char)*s) && !in` was true
//? why: isalpha((unsigned char)*s)
//! why: __ctype_b_loc
//! why: 0x400
//? explain: isalpha((unsigned char)*s)
