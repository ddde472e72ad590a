#include <stdio.h>
#include <string.h>
#include <stdlib.h>
static const char *extension(const char *path)
{
    const char *dot = strchr(path, '.');  //- const char *dot = strrchr(path, '.');
    return dot ? dot + 1 : "";
}
int main(void)
{
    const char *ext = extension("notes.tar.gz");
    if (!strcmp(ext, "gz"))
        return 0;
    fprintf(stderr, "%s\n", ext);
    return 1;
}
//? why: !strcmp(ext, "gz")
//? why: ext = "tar.gz"
