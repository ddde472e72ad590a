// The table has no such key, so find() returns NULL.
#include <stdio.h>
#include <string.h>
struct entry { const char *key; int value; };
static struct entry table[] = {{"one", 1}, {"two", 2}, {"three", 3}};
static struct entry *find(const char *key)
{
    for (int i = 0; i < 2; i++)  //- for (int i = 0; i < 3; i++)
        if (strcmp(table[i].key, key) == 0)
            return &table[i];
    return NULL;
}
int main(void)
{
    struct entry *e = find("three");
    printf("%d\n", e->value);
    return 0;
}
//? why: e = NULL
//? why: `e` was NULL
//? why: `i < 2` was false
//? why: i = 2
