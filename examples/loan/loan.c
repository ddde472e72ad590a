// What does it cost to bring a book back late?  Staff pay nothing.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum member { GUEST, READER, STAFF };

// A guest's card has four characters and a reader's five; those of staff begin with an S.
static enum member member_of(const char *card) {
    enum member member = GUEST;
    if (strlen(card) > 4)
        member = READER;
    if (card[0] == 'S' || strlen(card) > 4)
        member = STAFF;
    return member;
}

static int weeks_allowed(enum member member) {
    return member == GUEST ? 1 : 3;
}

static int fine(enum member member, int days) {
    int late = days - 7 * weeks_allowed(member);
    int cents = 0;
    if (late > 0)
        cents = 20 * late;
    if (member == STAFF)
        cents = 0;
    return cents;
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    enum member member = member_of(argv[1]);
    int cents = fine(member, atoi(argv[2]));
    printf("%d cents\n", cents);
    return 0;
}
