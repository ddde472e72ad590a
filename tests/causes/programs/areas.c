// An inverted condition sets the wrong class (the shape of CaFL's Fig. 1).
// flags: -lm
// signal: SIGABRT
#include <assert.h>
#include <math.h>

enum kind { REFUSED, UNEVEN, TWO_ALIKE, SQUARE_CORNER, ALL_ALIKE };

static int area(int longest, int middle, int shortest) {
    enum kind kind;
    int half, found;
    if (longest >= middle && middle >= shortest) {                          // [5]
        kind = UNEVEN;                                                      // [6]
        if (longest == middle || middle == shortest)                        // [7]
            kind = TWO_ALIKE;                                               // [8]
        if (longest * longest != middle * middle + shortest * shortest)     // [9]
            kind = SQUARE_CORNER;                                           // [10]
        if (longest == middle && middle == shortest)                        // [11]
            kind = ALL_ALIKE;                                               // [12]
        switch (kind) {                                                     // [13]
        case SQUARE_CORNER:
            found = middle * shortest / 2;                                  // [15]
            break;
        case ALL_ALIKE:
            found = (int)(longest * longest * sqrt(3) / 4);                 // [17]
            break;
        default:
            half = (longest + middle + shortest) / 2;                       // [19]
            found = (int)sqrt(half * (half - longest) * (half - middle) * (half - shortest));   // [20]
        }
    } else {
        kind = REFUSED;                                                     // [23]
        found = 0;                                                          // [24]
    }
    assert(found == 9);                                                     // [26]
    return found;
}

int main(void) {
    area(6, 5, 4);                                                          // [4]
    return 0;
}
