// A branch that was taken led to a wrong value (the shape of CaFL's Fig. 3).
// signal: SIGABRT
#include <assert.h>

int main(void) {
    int stock = 0, open = 1;
    if (open == 1) stock = stock + 1;
    assert(stock == 0);
    return 0;
}
