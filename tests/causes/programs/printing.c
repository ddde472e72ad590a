// Ways to print something wrong; the argument selects one by its index in `cases`.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int total(int given) {
    int found = given;                              // [start]
    found += 3;                                     // [add]
    return found;                                   // [return]
}

static const char *name_of(int value) {
    return value > 4 ? "long" : "short";            // [name]
}

static void a_number(int value) {
    printf("total %d\n", value);                    // [print]
}

static void a_name(int value) {
    printf("<%s>\n", name_of(value));               // [print]
}

static void a_padded_number(int value) {
    printf("<%6d>\n", value);                       // [print]
}

static void a_width(int value) {
    printf("%*d|\n", value, 7);                     // [print]
}

static void a_line(int value) {
    puts(name_of(value));                           // [print]
}

static void a_character(int value) {
    putchar('a' + value);                           // [print]
}

static void a_block(int value) {
    fwrite(name_of(value), 1, 4, stdout);           // [print]
}

static void too_little_of_a_block(int value) {
    fwrite("complete", 1, value, stdout);           // [print]
}

static void by_hand(int value) {
    char digits[2] = {'0' + value, '\n'};           // [digits]
    write(STDOUT_FILENO, digits, 2);                // [print]
}

static void by_copy(int value) {
    char text[20], line[20];
    sprintf(text, "%d:", value);                    // [text]
    strcpy(line, text);                             // [copy]
    puts(line);                                     // [print]
}

static void not_the_first(int value) {
    if (value > 5)                                  // [if]
        puts("first");
    puts("second");                                 // [print]
}

static void not_the_last(int value) {
    puts("first");                                  // [print]
    if (value > 5)                                  // [if]
        puts("second");
}

static void nothing(int value) {
    if (value > 5)                                  // [if]
        puts("first");
}

static void ends_early(int value) {
    puts("first");                                  // [print]
    if (value == 5)                                 // [if]
        return;                                     // [leave]
    puts("second");
}

static void one_more(int value) {
    puts("first");
    if (value == 5)                                 // [if]
        puts("second");                             // [print]
}

static void two_in_one(int value) {
    printf("%d and %d\n", value, value - 3);        // [print]
}

static void (*const cases[])(int) = {
    a_number, a_name, a_padded_number, a_width, a_line, a_character, a_block,
    too_little_of_a_block, by_hand, by_copy, not_the_first, not_the_last, nothing, ends_early,
    one_more, two_in_one,
};

int main(int argc, char **argv) {
    cases[atoi(argv[1])](total(argc));              // [main]
    return 0;                                       // [end]
}
