/* Which way should this aircraft turn to stay clear of another one? */
#include <stdio.h>
#include <stdlib.h>

enum advice { NONE, CLIMB, DESCEND };
static int own_height, other_height, climb_rate, above, below, is_equipped, can_climb;

static int margin(void) {
    if (own_height < 1000) return 300;
    if (own_height < 5000) return 500;
    return 700;
}
static int prefers_climb(void) {
    int up = can_climb ? above + 100 : above;
    return up > below;
}
static int is_climb_safe(void) {
    return own_height < other_height ? above >= margin() : below < margin();
}
static enum advice advise(void) {
    enum advice found = NONE;
    if (climb_rate > 600 || !is_equipped) {
        if (prefers_climb() && is_climb_safe())
            found = CLIMB;
        else if (!prefers_climb() && below >= margin())
            found = DESCEND;
    }
    return found;
}
int main(int argc, char **argv) {
    if (argc < 8) return 2;
    own_height = atoi(argv[1]); other_height = atoi(argv[2]); climb_rate = atoi(argv[3]);
    above = atoi(argv[4]); below = atoi(argv[5]);
    is_equipped = atoi(argv[6]); can_climb = atoi(argv[7]);
    if (own_height > 20000) fprintf(stderr, "high\n");
    if (climb_rate < 0) fprintf(stderr, "sinking\n");
    printf("%d\n", advise());
    return 0;
}
