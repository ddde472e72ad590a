// Output that would differ if a branch had gone the other way, and a branch that never matters to
// it (the shape of the thesis's example of potential dependence, ch. VI).
// args: 6 2 2
#include <stdio.h>
#include <stdlib.h>

static int settle(int bid, int ask, int noise) {
    int larger, price = 2;
    if (bid - ask > 0)
        larger = bid;
    else
        larger = ask;
    if (bid + ask > 10)
        price = larger;
    if (noise * noise > 3)
        fprintf(stderr, "noisy\n");
    else
        fprintf(stderr, "quiet\n");
    return price;
}

int main(int argc, char **argv) {
    if (argc != 4) return 1;
    printf("%d\n", settle(atoi(argv[1]), atoi(argv[2]), atoi(argv[3])));
    return 0;
}
