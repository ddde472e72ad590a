/* filter: changes text line by line, by a script of small commands. */
#ifndef FILTER_H
#define FILTER_H

#include <stddef.h>
#include <stdio.h>

#define CHUNK 24

struct line {
    char *text;
    size_t active;   /* offset of the first byte not yet used */
    size_t length;
    size_t capacity;
    int chomped;     /* had a newline */
};

enum address_kind { ADDR_NONE, ADDR_NUMBER, ADDR_LAST, ADDR_TEXT, ADDR_STEP };

struct address {
    enum address_kind kind;
    long number, step;
    char *text;
};

enum range_state { RANGE_INACTIVE, RANGE_ACTIVE, RANGE_CLOSED };

struct command {
    struct address first, second;
    int has_range;
    enum range_state state;
    int negate;
    char name;
    char *text, *with;     /* of s and y, or the text of a, i, c */
    int global, print;     /* flags of s */
    int number;            /* which occurrence is replaced; 0: the first */
    char *label;
    struct command *target; /* of b and t */
    struct command *next;
};

struct output {
    FILE *file;
    int missing_newline;
};

/* input.c */
struct source {
    char buffer[CHUNK];
    size_t used, filled;
    int at_end;
    long line_number;
    int is_last_known;
};
void open_source(struct source *source);
int read_line(struct source *source, struct line *line);
int is_last_line(struct source *source);

/* lines.c */
void line_append(struct line *line, const char *bytes, size_t count);
void line_clear(struct line *line);
void line_swap(struct line *a, struct line *b);
void line_copy(const struct line *from, struct line *to);
void line_join(const struct line *from, struct line *to);

/* compile.c */
struct command *compile(const char *script);

/* execute.c */
struct statistics {
    long lines, replaced, deleted, printed;
};
extern struct statistics statistics;
extern int silent;
void execute(struct command *program, struct source *source, struct output *output);

void fail(const char *message, const char *about);

#endif
