/* Answers questions about dates, and lists events that repeat; a line is one command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_YEAR 1900
#define MAX_EVENTS 16
#define NAME_SIZE 12

enum repeat { ONCE, DAILY, WEEKLY, MONTHLY, YEARLY };

struct date {
    int year;
    int month;
    int day;
};

struct event {
    char name[NAME_SIZE];
    struct date start;
    enum repeat repeat;
    int every;
    int left;
};

static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
static const char *weekdays[] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};
static struct event events[MAX_EVENTS];
static int event_count;

static int is_leap(int year)
{
    return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

static int month_length(int year, int month)
{
    if (month == 2 && is_leap(year))
        return 29;
    return lengths[month - 1];
}

static int is_date(const struct date *date)
{
    return date->year >= FIRST_YEAR && date->month >= 1 && date->month <= 12 && date->day >= 1
        && date->day <= month_length(date->year, date->month);
}

/* Days since the first of January 1900, which was a Monday. */
static int number_of(const struct date *date)
{
    int days = 0;

    for (int year = FIRST_YEAR; year < date->year; year++)
        days += is_leap(year) ? 366 : 365;
    for (int month = 1; month < date->month; month++)
        days += month_length(date->year, month);
    return days + date->day - 1;
}

static struct date date_of(int number)
{
    struct date date = {FIRST_YEAR, 1, 1};
    int length;

    while (number >= (length = is_leap(date.year) ? 366 : 365)) {
        number -= length;
        date.year++;
    }
    while (number >= (length = month_length(date.year, date.month))) {
        number -= length;
        date.month++;
    }
    date.day += number;
    return date;
}

static int week_of(const struct date *date)
{
    struct date first = {date->year, 1, 1};
    int start = number_of(&first) % 7;
    int week = (number_of(date) - number_of(&first) + start) / 7;

    if (start <= 3)
        week++;
    return week;
}

static void next_month(struct date *date, int months)
{
    int month = date->month - 1 + months;

    date->year += month / 12;
    date->month = month % 12 + 1;
    if (date->day > month_length(date->year, date->month))
        date->day = month_length(date->year, date->month);
}

static void advance(struct event *event)
{
    int days = 0;

    switch (event->repeat) {
    case ONCE:
        event->left = 0;
        return;
    case DAILY:
        days = event->every;
        break;
    case WEEKLY:
        days = 7 * event->every;
        break;
    case MONTHLY:
        next_month(&event->start, event->every);
        break;
    case YEARLY:
        next_month(&event->start, 12 * event->every);
        break;
    }
    if (days > 0)
        event->start = date_of(number_of(&event->start) + days);
    event->left--;
}

static enum repeat repeat_of(const char *word)
{
    switch (word[0]) {
    case 'd': return DAILY;
    case 'w': return WEEKLY;
    case 'm': return MONTHLY;
    case 'y': return YEARLY;
    default: return ONCE;
    }
}

static int earliest(const struct date *until)
{
    int best = -1;

    for (int i = 0; i < event_count; i++) {
        if (events[i].left == 0 || number_of(&events[i].start) > number_of(until))
            continue;
        if (best < 0 || number_of(&events[i].start) < number_of(&events[best].start))
            best = i;
    }
    return best;
}

static void list(const struct date *until)
{
    int chosen, count = 0;

    while ((chosen = earliest(until)) >= 0) {
        struct event *event = &events[chosen];
        int number = number_of(&event->start);
        printf("%04d-%02d-%02d %s %s\n", event->start.year, event->start.month, event->start.day,
               weekdays[number % 7], event->name);
        advance(event);
        count++;
    }
    printf("%d events\n", count);
}

static void add(const char *name, const char *repeat, int every, int left, struct date start)
{
    struct event *event = &events[event_count];

    if (event_count == MAX_EVENTS || !is_date(&start)) {
        printf("no event %s\n", name);
        return;
    }
    snprintf(event->name, NAME_SIZE, "%s", name);
    event->start = start;
    event->repeat = repeat_of(repeat);
    event->every = every > 0 ? every : 1;
    event->left = left;
    event_count++;
}

static void answer(char *line)
{
    struct date date = {0, 0, 0}, other = {0, 0, 0};
    char name[NAME_SIZE], repeat[NAME_SIZE];
    int every, left;

    if (sscanf(line, "between %d-%d-%d %d-%d-%d", &date.year, &date.month, &date.day, &other.year,
               &other.month, &other.day) == 6) {
        int days = number_of(&other) - number_of(&date);
        printf("%d days, %d weeks\n", days, days / 7);
    } else if (sscanf(line, "week %d-%d-%d", &date.year, &date.month, &date.day) == 3) {
        if (is_date(&date))
            printf("week %d, %s\n", week_of(&date), weekdays[number_of(&date) % 7]);
        else
            printf("no date\n");
    } else if (sscanf(line, "event %11s %11s %d %d %d-%d-%d", name, repeat, &every, &left,
                      &date.year, &date.month, &date.day) == 7) {
        add(name, repeat, every, left, date);
    } else if (sscanf(line, "list %d-%d-%d", &date.year, &date.month, &date.day) == 3) {
        list(&date);
    } else {
        printf("what is %s", line);
    }
}

int main(void)
{
    char line[128];

    while (fgets(line, sizeof line, stdin))
        answer(line);
    return 0;
}
