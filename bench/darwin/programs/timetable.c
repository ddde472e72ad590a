/* When does a job run next?   timetable "MINUTES HOURS DAYS" MINUTE HOUR DAY
 *
 * A field is a list of parts with commas: a number, a range "2-5", a star, each with a step "/3".
 * DAYS are days of the week, 0 to 6; 7 is 0.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct field {
    const char *name;
    int low, high;
    char set[64];
};

static const char *problem;

static int read_number(const char **p, const struct field *f, int *value)
{
    if (!isdigit((unsigned char)**p)) {
        problem = "number expected";
        return 0;
    }
    *value = 0;
    while (isdigit((unsigned char)**p)) {
        *value = *value * 10 + **p - '0';
        ++*p;
    }
    if (*value < f->low || *value > f->high) {
        problem = "out of range";
        return 0;
    }
    return 1;
}

static int read_part(const char **p, struct field *f)
{
    int first, last, step = 1, i;
    if (**p == '*') {
        first = f->low;
        last = f->high;
        ++*p;
    } else {
        if (!read_number(p, f, &first))
            return 0;
        last = first;
        if (**p == '-') {
            ++*p;
            if (!read_number(p, f, &last))
                return 0;
            if (last < first) {
                problem = "range is backwards";
                return 0;
            }
        }
    }
    if (**p == '/') {
        ++*p;
        step = strtol(*p, (char **)p, 10);
        if (step <= 0) {
            problem = "bad step";
            return 0;
        }
    }
    for (i = first; i <= last; i += step)
        f->set[i] = 1;
    return 1;
}

static int read_field(const char **p, struct field *f)
{
    memset(f->set, 0, sizeof f->set);
    while (**p == ' ')
        ++*p;
    for (;;) {
        if (!read_part(p, f))
            return 0;
        if (**p != ',')
            break;
        ++*p;
    }
    if (**p != ' ' && **p != '\0') {
        problem = "bad sign";
        return 0;
    }
    return 1;
}

static int next_in(const struct field *f, int from)
{
    int i;
    for (i = from; i <= f->high; i++)
        if (f->set[i])
            return i;
    return -1;
}

static int first_in(const struct field *f)
{
    return next_in(f, f->low);
}

static int next_run(struct field fields[3], int minute, int hour, int day, int when[3])
{
    int waited;
    for (waited = 0; waited <= 7; waited++) {
        int today = (day + waited) % 7;
        int from_hour = waited == 0 ? hour : 0;
        int from_minute = waited == 0 ? minute + 1 : 0;
        int h, m;
        if (!fields[2].set[today])
            continue;
        h = next_in(&fields[1], from_hour);
        if (h < 0)
            continue;
        m = h == from_hour ? next_in(&fields[0], from_minute) : first_in(&fields[0]);
        if (m < 0) {
            h = next_in(&fields[1], h + 1);
            if (h < 0)
                continue;
            m = first_in(&fields[0]);
        }
        when[0] = m;
        when[1] = h;
        when[2] = today;
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    struct field fields[3] = {{"minutes", 0, 59, ""}, {"hours", 0, 23, ""}, {"days", 0, 7, ""}};
    int i, when[3];
    const char *p;
    if (argc < 5)
        return 2;
    p = argv[1];
    for (i = 0; i < 3; i++)
        if (!read_field(&p, &fields[i])) {
            printf("%s: %s\n", fields[i].name, problem);
            return 1;
        }
    if (fields[2].set[7])
        fields[2].set[0] = 1;
    if (!next_run(fields, atoi(argv[2]), atoi(argv[3]), atoi(argv[4]), when)) {
        puts("never");
        return 1;
    }
    printf("%s %02d:%02d\n", days[when[2]], when[1], when[0]);
    return 0;
}
