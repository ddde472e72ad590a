/*
 * json: reads a JSON text and prints it again, or a part of it.
 *
 *     usage: json [-c] [-s] [-i N] [-p PATH] [-n] <text
 *
 *     -c        compact: no spaces and no line ends
 *     -s        members of objects sorted by name
 *     -i N      indent by N spaces (default 2)
 *     -p PATH   print the value at PATH, such as items[2].name
 *     -n        print numbers of values by kind instead
 *
 * Numbers keep their exact decimal value: an integer and a power of ten.  A text
 * that is not JSON is answered with the line and column where it goes wrong.
 */
#include <assert.h>
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 16

enum kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

#define KINDS (JSON_OBJECT + 1)

struct value {
    enum kind kind;
    char *name;          /* of a member of an object, else NULL */
    char *text;          /* of a string */
    long digits;         /* of a number: digits * 10^exponent */
    int exponent;
    int count;           /* of children */
    struct value *first; /* the children of an array or object, in order */
    struct value *next;
};

struct buffer {
    char *bytes;
    size_t length, capacity;
};

struct reader {
    const char *start, *at;
    int depth;
};

struct style {
    bool compact, sorted;
    int indent;
};

static void fail(const struct reader *reader, const char *message)
{
    int line = 1, column = 1;
    for (const char *at = reader->start; at < reader->at; at++) {
        column++;
        if (*at == '\n') {
            line++;
            column = 1;
        }
    }
    printf("%d:%d: %s\n", line, column, message);
    exit(0);
}

/* ---- buffers ---------------------------------------------------------- */

static void buffer_add(struct buffer *buffer, char byte)
{
    if (buffer->length + 1 >= buffer->capacity) {
        buffer->capacity = buffer->capacity == 0 ? 16 : buffer->capacity * 2;
        buffer->bytes = realloc(buffer->bytes, buffer->capacity);
        if (buffer->bytes == NULL)
            abort();
    }
    buffer->bytes[buffer->length++] = byte;
    buffer->bytes[buffer->length] = '\0';
}

static char *read_all(FILE *file)
{
    struct buffer text = {NULL, 0, 0};
    int byte;
    while ((byte = getc(file)) != EOF)
        buffer_add(&text, (char)byte);
    buffer_add(&text, '\n');
    return text.bytes;
}

/* ---- reading ---------------------------------------------------------- */

static struct value *read_value(struct reader *reader);

static struct value *new_value(enum kind kind)
{
    struct value *value = calloc(1, sizeof *value);
    if (value == NULL)
        abort();
    value->kind = kind;
    return value;
}

static void add_child(struct value *parent, struct value *child)
{
    struct value **link = &parent->first;
    while (*link != NULL)
        link = &(*link)->next;
    *link = child;
    parent->count++;
}

static void skip_space(struct reader *reader)
{
    while (*reader->at == ' ' || *reader->at == '\t' || *reader->at == '\n' || *reader->at == '\r')
        reader->at++;
}

static bool accept(struct reader *reader, char wanted)
{
    skip_space(reader);
    if (*reader->at != wanted)
        return false;
    reader->at++;
    return true;
}

static struct value *read_word(struct reader *reader)
{
    static const char *const words[] = {"null", "false", "true"};
    for (int i = 0; i < 3; i++) {
        size_t length = strlen(words[i]);
        if (strncmp(reader->at, words[i], length) == 0
            && !isalnum((unsigned char)reader->at[length])) {
            reader->at += length;
            return new_value((enum kind)i);
        }
    }
    fail(reader, "not a value");
    return NULL;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = (char)tolower((unsigned char)c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static unsigned read_hex4(struct reader *reader)
{
    unsigned code = 0;
    for (int i = 0; i < 4; i++) {
        int digit = hex_digit(*reader->at);
        if (digit < 0)
            fail(reader, "four hexadecimal digits expected");
        code = code * 16 + (unsigned)digit;
        reader->at++;
    }
    return code;
}

static void add_utf8(struct buffer *buffer, unsigned code)
{
    if (code < 0x80) {
        buffer_add(buffer, (char)code);
    } else if (code < 0x800) {
        buffer_add(buffer, (char)(0xC0 | code >> 6));
        buffer_add(buffer, (char)(0x80 | (code & 0x3F)));
    } else {
        buffer_add(buffer, (char)(0xE0 | code >> 12));
        buffer_add(buffer, (char)(0x80 | (code >> 6 & 0x3F)));
        buffer_add(buffer, (char)(0x80 | (code & 0x3F)));
    }
}

static const char escape_letters[] = "\"\\/bfnrt";
static const char escape_bytes[] = "\"\\/\b\f\n\r\t";

static void read_escape(struct reader *reader, struct buffer *buffer)
{
    const char *letter = strchr(escape_letters, *reader->at);
    if (*reader->at == 'u') {
        reader->at++;
        add_utf8(buffer, read_hex4(reader));
    } else if (letter != NULL && *letter != '\0') {
        buffer_add(buffer, escape_bytes[letter - escape_letters]);
        reader->at++;
    } else {
        fail(reader, "unknown escape");
    }
}

static char *read_string(struct reader *reader)
{
    struct buffer buffer = {NULL, 0, 0};
    buffer_add(&buffer, '\0');
    buffer.length = 0;
    if (!accept(reader, '"'))
        fail(reader, "string expected");
    while (*reader->at != '"') {
        if ((unsigned char)*reader->at < ' ')
            fail(reader, "string does not end");
        if (*reader->at == '\\') {
            reader->at++;
            read_escape(reader, &buffer);
        } else {
            buffer_add(&buffer, *reader->at++);
        }
    }
    reader->at++;
    return buffer.bytes;
}

static int read_digits(struct reader *reader, long *digits)
{
    int count = 0;
    if (!isdigit((unsigned char)*reader->at))
        fail(reader, "digit expected");
    for (; isdigit((unsigned char)*reader->at); reader->at++) {
        *digits = *digits * 10 + (*reader->at - '0');
        count++;
    }
    return count;
}

static struct value *read_number(struct reader *reader)
{
    struct value *value = new_value(JSON_NUMBER);
    bool negative = accept(reader, '-');
    read_digits(reader, &value->digits);
    if (*reader->at == '.') {
        reader->at++;
        value->exponent = -read_digits(reader, &value->digits);
    }
    if (*reader->at == 'e' || *reader->at == 'E') {
        long exponent = 0;
        reader->at++;
        bool down = *reader->at == '-';
        if (*reader->at == '-' || *reader->at == '+')
            reader->at++;
        read_digits(reader, &exponent);
        value->exponent += (int)(down ? -exponent : exponent);
    }
    while (value->digits != 0 && value->digits % 10 == 0) {
        value->digits /= 10;
        value->exponent++;
    }
    if (value->digits == 0)
        value->exponent = 0;
    if (negative)
        value->digits = -value->digits;
    return value;
}

/* What stands between the brackets, which are closed by `close`. */
static struct value *read_children(struct reader *reader, enum kind kind, char close)
{
    struct value *parent = new_value(kind);
    if (++reader->depth > MAX_DEPTH)
        fail(reader, "too many brackets inside each other");
    if (!accept(reader, close)) {
        do {
            char *name = NULL;
            if (kind == JSON_OBJECT) {
                name = read_string(reader);
                if (!accept(reader, ':'))
                    fail(reader, "':' expected");
            }
            struct value *child = read_value(reader);
            child->name = name;
            add_child(parent, child);
        } while (accept(reader, ','));
        if (!accept(reader, close))
            fail(reader, "',' or a closing bracket expected");
    }
    reader->depth--;
    return parent;
}

static struct value *read_value(struct reader *reader)
{
    if (accept(reader, '{'))
        return read_children(reader, JSON_OBJECT, '}');
    if (accept(reader, '['))
        return read_children(reader, JSON_ARRAY, ']');
    if (*reader->at == '"') {
        struct value *value = new_value(JSON_STRING);
        value->text = read_string(reader);
        return value;
    }
    if (*reader->at == '-' || isdigit((unsigned char)*reader->at))
        return read_number(reader);
    return read_word(reader);
}

static struct value *read_text(const char *text)
{
    struct reader reader = {text, text, 0};
    struct value *value = read_value(&reader);
    skip_space(&reader);
    if (*reader.at != '\0')
        fail(&reader, "text after the value");
    assert(reader.depth == 0);
    return value;
}

/* ---- values ----------------------------------------------------------- */

/* Sorts the members of all objects; those with the same name keep their order. */
static void sort_members(struct value *value)
{
    struct value *sorted = NULL;
    for (struct value *child = value->first; child != NULL; child = child->next)
        sort_members(child);
    if (value->kind != JSON_OBJECT)
        return;
    while (value->first != NULL) {
        struct value *child = value->first;
        struct value **link = &sorted;
        value->first = child->next;
        while (*link != NULL && strcmp((*link)->name, child->name) <= 0)
            link = &(*link)->next;
        child->next = *link;
        *link = child;
    }
    value->first = sorted;
}

static const struct value *member(const struct value *value, const char *name, size_t length)
{
    if (value->kind != JSON_OBJECT)
        return NULL;
    for (const struct value *child = value->first; child != NULL; child = child->next) {
        if (strncmp(child->name, name, length) == 0 && child->name[length] == '\0')
            return child;
    }
    return NULL;
}

static const struct value *element(const struct value *value, long index)
{
    if (value->kind != JSON_ARRAY || index >= value->count)
        return NULL;
    const struct value *child = value->first;
    while (index-- > 0)
        child = child->next;
    return child;
}

/* The value at `path`, or NULL. */
static const struct value *value_at(const struct value *value, const char *path)
{
    while (value != NULL && *path != '\0') {
        if (*path == '[') {
            char *end;
            value = element(value, strtol(path + 1, &end, 10));
            path = *end == ']' ? end + 1 : end;
        } else {
            size_t length = strcspn(path, ".[");
            value = member(value, path, length);
            path += length;
        }
        if (*path == '.')
            path++;
    }
    return value;
}

static void count_kinds(const struct value *value, int counts[KINDS])
{
    counts[value->kind]++;
    for (const struct value *child = value->first; child != NULL; child = child->next)
        count_kinds(child, counts);
}

static void check_value(const struct value *value)
{
    int count = 0;
    for (const struct value *child = value->first; child != NULL; child = child->next) {
        assert((child->name != NULL) == (value->kind == JSON_OBJECT));
        check_value(child);
        count++;
    }
    assert(count == value->count);
    assert((value->text != NULL) == (value->kind == JSON_STRING));
    assert(value->digits % 10 != 0 || value->exponent == 0);
}

static void free_value(struct value *value)
{
    struct value *child = value->first;
    while (child != NULL) {
        struct value *next = child->next;
        free_value(child);
        child = next;
    }
    free(value->name);
    free(value->text);
    free(value);
}

/* ---- printing --------------------------------------------------------- */

static void print_string(const char *text)
{
    putchar('"');
    for (; *text != '\0'; text++) {
        const char *byte = strchr(escape_bytes, *text);
        if (byte != NULL && *text != '/')
            printf("\\%c", escape_letters[byte - escape_bytes]);
        else if ((unsigned char)*text < ' ')
            printf("\\u%04x", (unsigned)*text);
        else
            putchar(*text);
    }
    putchar('"');
}

/* Plain where that is short, such as 1200 or 0.05; else as in 12e9. */
static void print_number(long digits, int exponent)
{
    char text[32];
    int length = sprintf(text, "%ld", digits < 0 ? -digits : digits);
    int whole = length + exponent; /* digits before the point */
    if (digits < 0)
        putchar('-');
    if (exponent > 4 || whole < -4) {
        printf("%se%d", text, exponent);
        return;
    }
    if (whole <= 0)
        printf("0.");
    for (int i = whole; i < 0; i++)
        putchar('0');
    for (int i = 0; i < length; i++) {
        if (i > 0 && i == whole)
            putchar('.');
        putchar(text[i]);
    }
    for (int i = 0; i < exponent; i++)
        putchar('0');
}

static void new_line(const struct style *style, int depth)
{
    if (!style->compact)
        printf("\n%*s", depth * style->indent, "");
}

static void print_value(const struct value *value, const struct style *style, int depth)
{
    bool object = value->kind == JSON_OBJECT;
    switch (value->kind) {
    case JSON_NULL: printf("null"); return;
    case JSON_FALSE: printf("false"); return;
    case JSON_TRUE: printf("true"); return;
    case JSON_NUMBER: print_number(value->digits, value->exponent); return;
    case JSON_STRING: print_string(value->text); return;
    case JSON_ARRAY:
    case JSON_OBJECT: break;
    }
    putchar(object ? '{' : '[');
    for (const struct value *child = value->first; child != NULL; child = child->next) {
        new_line(style, depth + 1);
        if (object) {
            print_string(child->name);
            printf(style->compact ? ":" : ": ");
        }
        print_value(child, style, depth + 1);
        if (child->next != NULL)
            putchar(',');
    }
    if (value->count > 0)
        new_line(style, depth);
    putchar(object ? '}' : ']');
}

static void print_counts(const struct value *value)
{
    static const char *const names[KINDS] = {"null",   "false", "true",  "number",
                                             "string", "array", "object"};
    int counts[KINDS] = {0};
    count_kinds(value, counts);
    for (int i = 0; i < KINDS; i++) {
        if (counts[i] > 0)
            printf("%s %d\n", names[i], counts[i]);
    }
}

int main(int argc, char **argv)
{
    struct style style = {.indent = 2};
    const char *path = "";
    bool numbers = false;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-c") == 0)
            style.compact = true;
        else if (strcmp(argv[i], "-s") == 0)
            style.sorted = true;
        else if (strcmp(argv[i], "-n") == 0)
            numbers = true;
        else if (strcmp(argv[i], "-i") == 0 && i + 1 < argc)
            style.indent = atoi(argv[++i]);
        else if (strcmp(argv[i], "-p") == 0 && i + 1 < argc)
            path = argv[++i];
        else {
            fprintf(stderr, "usage: json [-c] [-s] [-i N] [-p PATH] [-n] <text\n");
            return 2;
        }
    }

    char *text = read_all(stdin);
    struct value *root = read_text(text);
    if (style.sorted)
        sort_members(root);
    check_value(root);
    const struct value *found = value_at(root, path);
    if (found == NULL) {
        printf("nothing at %s\n", path);
    } else if (numbers) {
        print_counts(found);
    } else {
        print_value(found, &style, 0);
        putchar('\n');
    }
    free_value(root);
    free(text);
    return 0;
}
