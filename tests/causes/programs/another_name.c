// A value is written under one name and read under another (the shape of CaFL's Table I).
// signal: SIGABRT
#include <assert.h>
#include <stdlib.h>

int main(void) {
    int stock = 2, price = 3;             // [0]
    int *row = malloc(2 * sizeof *row);   // [1]
    int *last = row + 1;                  // [2]
    stock = stock + 2;                    // [3]
    row[1] = stock;                       // [4]
    row[0] = price;                       // [5]
    if (stock > 4)                        // [6]
        row[1] = 3;                       // [7]
    assert(*last == 3);                   // [8]
    return 0;
}
