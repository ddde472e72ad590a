// A branch that was not taken left a value unchanged (the shape of CaFL's Fig. 6).
// signal: SIGABRT
#include <assert.h>

int main(void) {
    int member = 2, points = 1, rate = 1, price = 0;
    if (member > 0) {
        if (points < 0) {
            if (rate != 2) rate = 2;
        }
        price = rate + 3;
    }
    assert(price == 5);
    return 0;
}
