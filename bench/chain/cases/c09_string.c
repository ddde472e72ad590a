#include <stdio.h>
#include <string.h>
int main(void) {
    const char *path = "a.tar.gz";
    const char *dot = @{strchr|strrchr}(path, '.');
    int is_gz = 0;
    if (strcmp(dot, ".gz") == 0)
        is_gz = 1;
    printf("%d\n", is_gz);
    return 0;
}
