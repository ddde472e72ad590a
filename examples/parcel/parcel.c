// What does it cost to send a parcel?
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum zone { HOME, ABROAD };

struct parcel {
    int grams;
    enum zone zone;
    char label[32];
};

static int kilos(int grams) {
    int n = 0;
    while (grams > 0) {
        grams -= 1000;
        n++;
    }
    return n;
}

static int price(const struct parcel *p) {
    int cents = 300;
    if (p->zone == ABROAD)
        cents += 700;
    if (kilos(p->grams) > 3)
        cents = 0;
    cents += 150 * kilos(p->grams);
    return cents;
}

int main(int argc, char **argv) {
    struct parcel p = {.grams = argc > 1 ? atoi(argv[1]) : 500};
    p.zone = argc > 2 && !strcmp(argv[2], "abroad") ? ABROAD : HOME;
    snprintf(p.label, sizeof p.label, "%d g, %s", p.grams, p.zone == HOME ? "home" : "abroad");
    int cents = price(&p);
    printf("%s: %d.%02d\n", p.label, cents / 100, cents % 100);
    assert(cents >= 1000 || p.zone == HOME);
    return 0;
}
