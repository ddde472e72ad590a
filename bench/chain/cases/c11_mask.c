#include <stdio.h>
int main(void) {
    unsigned rights = 6;
    unsigned wanted = @{1|2};
    int allowed = 0;
    if (rights & wanted)
        allowed = 1;
    puts(allowed ? "yes" : "no");
    return 0;
}
