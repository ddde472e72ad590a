// A case is missing, and the default answers.
#include <stdio.h>
enum color { RED, GREEN, BLUE };
static const char *name(enum color c)
{
    switch (c) {
    case RED:
        return "red";
    case GREEN:  //- case BLUE: return "blue"; case GREEN:
        return "green";
    default:
        return NULL;
    }
}
int main(void)
{
    enum color c = BLUE;
    const char *text = name(c);
    if (text == NULL)
        return 1;
    puts(text);
    return 0;
}
//? why: `c` was BLUE
//? why: `c` was BLUE (no case)
//? why: `text == NULL` was true
//? why: text = NULL
