// getenv() gives NULL, and strlen() crashes on it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static const char *setting(const char *name)
{
    const char *value = getenv(name);
    if (!value)
        value = NULL;  //- value = "";
    return value;
}
int main(void)
{
    const char *text = setting("WHENCE_NO_SUCH_SETTING");
    size_t n = strlen(text);
    printf("%zu\n", n);
    return n != 0;
}
//? why: text = NULL
//? why: `text` was NULL
//? why: `!value` was true
