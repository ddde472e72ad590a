/* Splits a program text on standard input into tokens, and checks its brackets. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TEXT 400
#define MAX_DEPTH 8
#define MAX_NAME 12

enum kind { NAME, NUMBER, STRING, SIGN, KEYWORD, BROKEN, KINDS };

static const char *kind_names[KINDS] = {"names", "numbers", "strings", "signs", "keywords",
                                        "broken"};
static char text[MAX_TEXT];
static int counts[KINDS];
static char open_brackets[MAX_DEPTH];
static int depth, deepest, lines = 1;
static const char *problem;

static int read_text(void)
{
    int n = 0, c;
    while ((c = getchar()) != EOF && n < MAX_TEXT - 1)
        text[n++] = c;
    text[n] = '\0';
    return n;
}

static int is_keyword(const char *name)
{
    return strcmp(name, "if") == 0 || strcmp(name, "else") == 0 || strcmp(name, "while") == 0
           || strcmp(name, "return") == 0;
}

static int scan_name(int i)
{
    char name[MAX_NAME + 1];
    int n = 0;
    while (isalnum((unsigned char)text[i]) || text[i] == '_') {
        if (n < MAX_NAME)
            name[n++] = text[i];
        i++;
    }
    name[n] = '\0';
    counts[is_keyword(name) ? KEYWORD : NAME]++;
    return i;
}

static int scan_number(int i)
{
    int is_hex = text[i] == '0' && text[i + 1] == 'x';
    if (is_hex)
        i += 2;
    while (isdigit((unsigned char)text[i]) || (is_hex && text[i] >= 'a' && text[i] <= 'f'))
        i++;
    if (!is_hex && text[i] == '.' && isdigit((unsigned char)text[i + 1])) {
        i++;
        while (isdigit((unsigned char)text[i]))
            i++;
    }
    counts[NUMBER]++;
    return i;
}

static int scan_string(int i)
{
    char quote = text[i++];
    while (text[i] != '\0' && text[i] != '\n') {
        if (text[i] == '\\' && text[i + 1] != '\0') {
            i += 2;
            continue;
        }
        if (text[i] == quote) {
            counts[STRING]++;
            return i + 1;
        }
        i++;
    }
    counts[BROKEN]++;
    return i;
}

static void open_bracket(char c)
{
    if (depth == MAX_DEPTH) {
        problem = "too deep";
        return;
    }
    open_brackets[depth++] = c;
    if (depth > deepest)
        deepest = depth;
}

static void close_bracket(char c)
{
    char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
    if (depth == 0) {
        problem = "nothing to close";
        return;
    }
    depth--;
    if (open_brackets[depth] != wanted)
        problem = "wrong bracket";
}

static int scan_sign(int i)
{
    char c = text[i];
    if (c == '(' || c == '[' || c == '{')
        open_bracket(c);
    else if (c == ')' || c == ']' || c == '}')
        close_bracket(c);
    counts[SIGN]++;
    if ((c == '<' || c == '>' || c == '=' || c == '!') && text[i + 1] == '=')
        return i + 2;
    return i + 1;
}

static int skip_comment(int i)
{
    while (text[i] != '\0' && text[i] != '\n')
        i++;
    return i;
}

static void scan(void)
{
    int i = 0;
    while (text[i] != '\0' && problem == NULL) {
        char c = text[i];
        if (c == '\n')
            lines++;
        if (c == ' ' || c == '\t' || c == '\n')
            i++;
        else if (c == '#')
            i = skip_comment(i);
        else if (isalpha((unsigned char)c) || c == '_')
            i = scan_name(i);
        else if (isdigit((unsigned char)c))
            i = scan_number(i);
        else if (c == '"' || c == '\'')
            i = scan_string(i);
        else
            i = scan_sign(i);
    }
    if (problem == NULL && depth > 0)
        problem = "not closed";
}

int main(void)
{
    int kind;
    read_text();
    scan();
    for (kind = 0; kind < KINDS; kind++)
        printf("%s %d\n", kind_names[kind], counts[kind]);
    printf("lines %d, deepest %d\n", lines, deepest);
    if (problem != NULL)
        printf("%s\n", problem);
    return 0;
}
