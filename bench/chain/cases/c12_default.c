#include <stdio.h>
static int width_of(int given) {
    int width = given;
    if (given @{<= 40|<= 0})
        width = 80;
    return width;
}
int main(void) {
    int width = width_of(30);
    int columns = width / 10;
    printf("%d columns\n", columns);
    return 0;
}
