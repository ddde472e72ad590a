/* Is a date valid, and which day of the year is it?  Argument: YYYY-MM-DD. */
#include <stdio.h>

static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };

static int is_leap(int year) { return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0; }

int main(int argc, char **argv) {
    int year, month, day;
    char rest;
    if (argc != 2 || sscanf(argv[1], "%4d-%2d-%2d%c", &year, &month, &day, &rest) != 3) {
        puts("not a date");
        return 2;
    }
    if (year < 1600 || month < 1 || month > 12 || day < 1) {
        puts("out of range");
        return 1;
    }
    int last = days[month - 1] + (month == 2 && is_leap(year));
    if (day > last) {
        puts("no such day");
        return 1;
    }
    int number = day;
    for (int m = 1; m < month; m++)
        number += days[m - 1] + (m == 2 && is_leap(year));
    printf("day %d of %d\n", number, is_leap(year) ? 366 : 365);
    return 0;
}
