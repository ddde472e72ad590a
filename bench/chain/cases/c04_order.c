#include <stdio.h>
#include <string.h>
static int kind(const char *word) {
    if (@{word[0] == 'a'|strcmp(word, "alpha") == 0})
        return 1;
    return 2;
}
int main(void) {
    int k = kind("apple");
    const char *name = "none";
    if (k == 1)
        name = "first";
    puts(name);
    return 0;
}
