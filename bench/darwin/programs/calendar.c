/* Dates: calendar YEAR MONTH DAY [DAYS] prints the weekday, and the date some days later. */
#include <stdio.h>
#include <stdlib.h>

struct date {
    int year;
    int month;
    int day;
};

static const char *names[] = {"Sunday", "Monday", "Tuesday", "Wednesday",
                              "Thursday", "Friday", "Saturday"};

static int is_leap(int year)
{
    if (year % 400 == 0)
        return 1;
    if (year % 100 == 0)
        return 0;
    return year % 4 == 0;
}

static int days_in(int month, int year)
{
    if (month == 2)
        return is_leap(year) ? 29 : 28;
    if (month == 4 || month == 6 || month == 9 || month == 11)
        return 30;
    return 31;
}

static const char *check(const struct date *date)
{
    if (date->year < 1 || date->year > 9999)
        return "no such year";
    if (date->month < 1 || date->month > 12)
        return "no such month";
    if (date->day < 1 || date->day > days_in(date->month, date->year))
        return "no such day";
    return NULL;
}

static int day_of_year(const struct date *date)
{
    int total = date->day, month;
    for (month = 1; month < date->month; month++)
        total += days_in(month, date->year);
    return total;
}

static int weekday(const struct date *date)
{
    int before = date->year - 1;
    int days = before * 365 + before / 4 - before / 100 + before / 400;
    days += day_of_year(date);
    return days % 7;
}

static int quarter(const struct date *date)
{
    return (date->month - 1) / 3 + 1;
}

static int week(const struct date *date)
{
    struct date first = {date->year, 1, 1};
    int shift = weekday(&first);
    return (day_of_year(date) + shift - 1) / 7 + 1;
}

static void add_days(struct date *date, int days)
{
    while (days > 0) {
        int left = days_in(date->month, date->year) - date->day;
        if (days <= left) {
            date->day += days;
            return;
        }
        days -= left + 1;
        date->day = 1;
        date->month++;
        if (date->month > 12) {
            date->month = 1;
            date->year++;
        }
    }
}

static const char *season(const struct date *date)
{
    if (date->month == 12 || date->month <= 2)
        return "winter";
    if (date->month <= 5)
        return "spring";
    if (date->month <= 8)
        return "summer";
    return "autumn";
}

static int price(const struct date *date, int nights)
{
    int rate = 80;
    if (date->month >= 6 && date->month <= 8)
        rate = 120;
    if (weekday(date) == 5 || weekday(date) == 6)
        rate += 20;
    return rate * nights;
}

int main(int argc, char **argv)
{
    struct date date;
    const char *problem;
    int days = 1;
    if (argc < 4) {
        fprintf(stderr, "usage: calendar YEAR MONTH DAY [DAYS]\n");
        return 2;
    }
    date.year = atoi(argv[1]);
    date.month = atoi(argv[2]);
    date.day = atoi(argv[3]);
    if (argc > 4)
        days = atoi(argv[4]);
    problem = check(&date);
    if (problem != NULL) {
        printf("%s\n", problem);
        return 0;
    }
    printf("%s, day %d, week %d, quarter %d, %s\n", names[weekday(&date)], day_of_year(&date),
           week(&date), quarter(&date), season(&date));
    printf("price %d\n", price(&date, days));
    add_days(&date, days);
    printf("until %d-%02d-%02d\n", date.year, date.month, date.day);
    return 0;
}
