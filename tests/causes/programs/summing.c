// Two wrong branches and a wrong sum (the shape of the revised program of AFTER's Fig. 6).
// signal: SIGABRT
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

static bool is_sorted = false;            // [1]

static void add(int first, int second, int third) {
    int sum = 0;                          // [3]
    if (!is_sorted) {                     // [4]
        if (first < second)               // [5]
            sum += first;                 // [6]
        else
            sum += second;                // [7]
    } else
        sum += first;                     // [8]
    if (third > 0)                        // [9]
        sum += 0 - third;                 // [10]
    else
        sum += third;                     // [11]
    printf("%d\n", sum);                  // [12]
    assert(sum == 4);                     // [13]
}

int main(void) {
    add(3, 2, 1);                         // [2]
    return 0;
}
