#include <stdio.h>
int main(void) {
    int cells[4] = {5, 6, 7, 8};
    int sum = 0;
    for (int i = 0; i < @{3|4}; i++)
        sum += cells[i];
    printf("sum %d\n", sum);
    return 0;
}
