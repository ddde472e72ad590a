/* Counts the tokens of a file: names, keywords, numbers, strings, comments, operators. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

static const char *keywords[] = { "if", "while", "return" };
enum { NAME, KEYWORD, NUMBER, STRING, OPERATOR, BAD, KINDS };
static const char *words[] = { "names", "keywords", "numbers", "strings", "operators", "bad" };

int main(int argc, char **argv) {
    int counts[KINDS] = { 0 }, c;
    FILE *in = fopen(argc > 1 ? argv[1] : "in.txt", "r");
    if (!in) {
        perror("open");
        return 1;
    }
    while ((c = getc(in)) != EOF) {
        if (isspace(c))
            continue;
        if (isalpha(c) || c == '_') {
            char word[32];
            size_t n = 0;
            do {
                if (n < sizeof word - 1)
                    word[n++] = c;
                c = getc(in);
            } while (isalnum(c) || c == '_');
            ungetc(c, in);
            word[n] = '\0';
            int kind = NAME;
            for (size_t k = 0; k < sizeof keywords / sizeof *keywords; k++)
                if (!strcmp(word, keywords[k]))
                    kind = KEYWORD;
            counts[kind]++;
        } else if (isdigit(c)) {
            while (isdigit(c))
                c = getc(in);
            if (c == '.')
                do
                    c = getc(in);
                while (isdigit(c));
            ungetc(c, in);
            counts[NUMBER]++;
        } else if (c == '"') {
            while ((c = getc(in)) != EOF && c != '"' && c != '\n')
                if (c == '\\')
                    getc(in);
            counts[c == '"' ? STRING : BAD]++;
        } else if (c == '#') {
            while ((c = getc(in)) != EOF && c != '\n')
                ;
        } else
            switch (c) {
            case '=':
            case '<':
            case '>': {
                int next = getc(in);
                if (next != '=')
                    ungetc(next, in);
            }
            /* fall through */
            case '+':
            case '-':
            case ';':
                counts[OPERATOR]++;
                break;
            default:
                counts[BAD]++;
            }
    }
    for (int k = 0; k < KINDS; k++)
        if (counts[k])
            printf("%d %s\n", counts[k], words[k]);
    fclose(in);
    return counts[BAD] > 0;
}
