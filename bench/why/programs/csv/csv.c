/*
 * csv: groups the rows of a table and adds up their numbers.
 *
 *     usage: csv [-d DELIMITER] [-g COLUMN] [-v COLUMN] [-w COLUMN=TEXT] [-o ORDER] <table
 *
 *     -g COLUMN        group the rows by this column (default: the first)
 *     -v COLUMN        the column of numbers (default: the last)
 *     -w COLUMN=TEXT   only the rows with TEXT in that column
 *     -o ORDER         sort the groups by name, sum or count (default: name)
 *
 * A field in double quotes may hold delimiters, line ends and, doubled, quotes.
 * Numbers have up to three decimals and are exact: 12.5 is 12500 thousandths.
 * A row whose number cannot be read is counted apart.
 */
#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS 12
#define MAX_GROUPS 32
#define ROW_SIZE 256
#define SCALE 1000
#define SCALE_DIGITS 3

typedef long fixed; /* thousandths */

struct row {
    int count;
    char *fields[MAX_COLUMNS];
    char text[ROW_SIZE]; /* all fields, each with its final zero */
};

enum read_state { FIELD_START, IN_FIELD, IN_QUOTES, AFTER_QUOTE };

struct group {
    char name[32];
    int count;
    fixed sum, smallest, largest;
};

struct report {
    struct group groups[MAX_GROUPS];
    int count;
    int rows, skipped, unreadable;
};

struct options {
    char delimiter;
    const char *group_by, *value_of;
    const char *where_column, *where_text;
    const char *order;
};

static void fail(const char *message, const char *about)
{
    fprintf(stderr, "csv: %s%s\n", message, about);
    exit(1);
}

/* ---- reading rows ----------------------------------------------------- */

static void end_field(struct row *row, int *length, int *start)
{
    if (row->count == MAX_COLUMNS)
        fail("too many columns", "");
    row->text[(*length)++] = '\0';
    row->fields[row->count++] = row->text + *start;
    *start = *length;
}

/* Reads one row; false at the end of the file. */
static bool read_row(FILE *file, char delimiter, struct row *row)
{
    enum read_state state = FIELD_START;
    int length = 0, start = 0;
    bool any = false;
    row->count = 0;
    for (;;) {
        int byte = getc(file);
        if (byte == '\r')
            continue;
        if (byte == EOF) {
            if (state == IN_QUOTES)
                fail("a quoted field does not end", "");
            if (any)
                end_field(row, &length, &start);
            return any;
        }
        any = true;
        if (length + 1 >= ROW_SIZE)
            fail("row too long", "");

        if (state == IN_QUOTES) {
            if (byte == '"')
                state = AFTER_QUOTE;
            else
                row->text[length++] = (char)byte;
            continue;
        }
        if (byte == '\n') {
            end_field(row, &length, &start);
            return true;
        }
        if (byte == delimiter) {
            end_field(row, &length, &start);
            state = FIELD_START;
        } else if (byte == '"' && state == FIELD_START) {
            state = IN_QUOTES;
        } else if (byte == '"' && state == AFTER_QUOTE) {
            row->text[length++] = '"';
            state = IN_QUOTES;
        } else {
            row->text[length++] = (char)byte;
            state = IN_FIELD;
        }
    }
}

static bool is_blank(const struct row *row)
{
    return row->count == 1 && row->fields[0][0] == '\0';
}

static bool field_is(const struct row *row, int column, const char *text)
{
    return column < row->count && strcmp(row->fields[column], text) == 0;
}

/* The index of a column, given by its name or its number from 1. */
static int find_column(const struct row *header, const char *wanted)
{
    for (int i = 0; i < header->count; i++) {
        if (strcmp(header->fields[i], wanted) == 0)
            return i;
    }
    int number = atoi(wanted);
    if (number < 1 || number > header->count)
        fail("no such column: ", wanted);
    return number - 1;
}

/* ---- fixed-point numbers ---------------------------------------------- */

static bool parse_fixed(const char *text, fixed *result)
{
    bool negative = false;
    fixed value = 0;
    int decimals = -1; /* none before the point is seen */
    while (isspace((unsigned char)*text))
        text++;
    if (*text == '-' || *text == '+')
        negative = *text++ == '-';
    if (!isdigit((unsigned char)*text))
        return false;
    for (; *text != '\0'; text++) {
        if (*text == '.' && decimals < 0) {
            decimals = 0;
        } else if (isdigit((unsigned char)*text)) {
            if (decimals == SCALE_DIGITS)
                return false;
            value = value * 10 + (*text - '0');
            if (decimals >= 0)
                decimals++;
        } else {
            return false;
        }
    }
    if (decimals < 0)
        decimals = 0;
    for (; decimals < SCALE_DIGITS; decimals++)
        value *= 10;
    *result = negative ? -value : value;
    return true;
}

/* Half a thousandth is rounded away from zero. */
static fixed divide_rounded(fixed value, long divisor)
{
    assert(divisor > 0);
    fixed half = divisor / 2;
    return value < 0 ? (value - half) / divisor : (value + half) / divisor;
}

/* Writes `value` without needless zeros, such as -0.05 or 12. */
static const char *format_fixed(fixed value, char text[32])
{
    fixed size = value < 0 ? -value : value;
    fixed fraction = size % SCALE;
    int length = sprintf(text, "%s%ld", value < 0 ? "-" : "", size / SCALE);
    if (fraction != 0) {
        length += sprintf(text + length, ".%03ld", fraction);
        while (text[length - 1] == '0')
            text[--length] = '\0';
    }
    return text;
}

/* ---- groups ----------------------------------------------------------- */

static struct group *find_group(struct report *report, const char *name)
{
    for (int i = 0; i < report->count; i++) {
        if (strcmp(report->groups[i].name, name) == 0)
            return &report->groups[i];
    }
    if (report->count == MAX_GROUPS || strlen(name) >= sizeof report->groups[0].name)
        fail("no room for group ", name);
    struct group *group = &report->groups[report->count++];
    strcpy(group->name, name);
    group->count = 0;
    group->sum = 0;
    return group;
}

static void add_to_group(struct group *group, fixed value)
{
    if (group->count == 0 || value < group->smallest)
        group->smallest = value;
    if (group->count == 0 || value > group->largest)
        group->largest = value;
    group->sum += value;
    group->count++;
}

static int compare_groups(const struct group *a, const struct group *b, const char *order)
{
    if (strcmp(order, "sum") == 0 && a->sum != b->sum)
        return a->sum > b->sum ? -1 : 1;
    if (strcmp(order, "count") == 0 && a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return strcmp(a->name, b->name);
}

static void sort_groups(struct report *report, const char *order)
{
    for (int i = 1; i < report->count; i++) {
        struct group moving = report->groups[i];
        int place = i;
        while (place > 0 && compare_groups(&moving, &report->groups[place - 1], order) < 0) {
            report->groups[place] = report->groups[place - 1];
            place--;
        }
        report->groups[place] = moving;
    }
}

/* ---- the report ------------------------------------------------------- */

static void read_table(FILE *file, const struct options *options, struct report *report)
{
    struct row row;
    if (!read_row(file, options->delimiter, &row))
        fail("no header", "");
    int columns = row.count;
    int group_by = options->group_by != NULL ? find_column(&row, options->group_by) : 0;
    int value_of = options->value_of != NULL ? find_column(&row, options->value_of) : columns - 1;
    int where = options->where_column != NULL ? find_column(&row, options->where_column) : -1;

    while (read_row(file, options->delimiter, &row)) {
        fixed value;
        if (is_blank(&row))
            continue;
        report->rows++;
        if (where >= 0 && !field_is(&row, where, options->where_text))
            report->skipped++;
        else if (row.count != columns || !parse_fixed(row.fields[value_of], &value))
            report->unreadable++;
        else
            add_to_group(find_group(report, row.fields[group_by]), value);
    }
}

static void check_report(const struct report *report)
{
    int rows = report->skipped + report->unreadable;
    for (int i = 0; i < report->count; i++) {
        const struct group *group = &report->groups[i];
        assert(group->count > 0);
        assert(group->smallest <= group->largest);
        assert(group->sum >= group->smallest * group->count);
        assert(group->sum <= group->largest * group->count);
        rows += group->count;
    }
    assert(rows == report->rows);
}

static void print_report(const struct report *report)
{
    char sum[32], mean[32], smallest[32], largest[32];
    struct group total = {.name = "total"};
    int width = (int)strlen(total.name);
    for (int i = 0; i < report->count; i++) {
        int length = (int)strlen(report->groups[i].name);
        if (length > width)
            width = length;
    }
    printf("%-*s %5s %10s %10s %10s %10s\n", width, "", "rows", "sum", "mean", "min", "max");
    for (int i = 0; i < report->count; i++) {
        const struct group *group = &report->groups[i];
        printf("%-*s %5d %10s %10s %10s %10s\n", width, group->name, group->count,
               format_fixed(group->sum, sum),
               format_fixed(divide_rounded(group->sum, group->count), mean),
               format_fixed(group->smallest, smallest), format_fixed(group->largest, largest));
        total.sum += group->sum;
        total.count += group->count;
    }
    printf("%-*s %5d %10s\n", width, total.name, total.count, format_fixed(total.sum, sum));
    if (report->skipped > 0)
        printf("%d skipped\n", report->skipped);
    if (report->unreadable > 0)
        printf("%d unreadable\n", report->unreadable);
}

static void read_options(int argc, char **argv, struct options *options)
{
    for (int i = 1; i < argc; i++) {
        if (argv[i][0] != '-' || i + 1 == argc)
            fail("usage: csv [-d DELIMITER] [-g COLUMN] [-v COLUMN] [-w COLUMN=TEXT] ", "[-o ORDER]");
        char *argument = argv[++i];
        switch (argv[i - 1][1]) {
        case 'd':
            options->delimiter = strcmp(argument, "\\t") == 0 ? '\t' : argument[0];
            break;
        case 'g':
            options->group_by = argument;
            break;
        case 'v':
            options->value_of = argument;
            break;
        case 'o':
            options->order = argument;
            break;
        case 'w':
            options->where_column = argument;
            options->where_text = strchr(argument, '=');
            if (options->where_text == NULL)
                fail("no = in ", argument);
            *strchr(argument, '=') = '\0';
            options->where_text++;
            break;
        default:
            fail("unknown option ", argv[i - 1]);
        }
    }
}

int main(int argc, char **argv)
{
    struct options options = {.delimiter = ',', .order = "name"};
    static struct report report;
    read_options(argc, argv, &options);
    read_table(stdin, &options, &report);
    sort_groups(&report, options.order);
    check_report(&report);
    print_report(&report);
    return 0;
}
