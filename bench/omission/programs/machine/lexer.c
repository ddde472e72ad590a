#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

struct token token;
static const char *at;
static int line;

static const struct {
    const char *text;
    enum token_kind kind;
} keywords[] = {
    {"func", T_FUNC},   {"var", T_VAR},       {"if", T_IF},         {"else", T_ELSE},
    {"while", T_WHILE}, {"break", T_BREAK},   {"continue", T_CONTINUE},
    {"return", T_RETURN}, {"print", T_PRINT}, {"switch", T_SWITCH}, {"case", T_CASE},
    {"default", T_DEFAULT},
};

void error_at(int where, const char *message, const char *about)
{
    printf("line %d: %s%s\n", where, message, about);
    exit(1);
}

void open_source(const char *text)
{
    at = text;
    line = 1;
    memset(&token, 0, sizeof token);
}

static void skip_space(void)
{
    for (;;) {
        if (*at == '#') {
            while (*at != '\0' && *at != '\n')
                at++;
        } else if (isspace((unsigned char)*at)) {
            if (*at == '\n')
                line++;
            at++;
        } else {
            return;
        }
    }
}

static void read_word(void)
{
    size_t length = 0, i;
    while (isalnum((unsigned char)*at) || *at == '_') {
        if (length == NAME_SIZE - 1)
            error_at(line, "name too long: ", token.text);
        token.text[length++] = *at++;
    }
    token.text[length] = '\0';
    token.kind = T_NAME;
    for (i = 0; i < sizeof keywords / sizeof *keywords; i++)
        if (strcmp(keywords[i].text, token.text) == 0)
            token.kind = keywords[i].kind;
}

static void read_string(void)
{
    size_t length = 0;
    at++;
    while (*at != '"') {
        if (*at == '\0' || length + 1 == sizeof token.text)
            error_at(line, "string too long", "");
        token.text[length++] = *at++;
    }
    at++;
    token.text[length] = '\0';
    token.kind = T_STRING;
}

static void read_operator(void)
{
    static const char *const doubles[] = {"==", "!=", "<=", ">=", "&&", "||", "+=", "-="};
    size_t i;
    token.kind = T_OPERATOR;
    token.text[0] = *at;
    token.text[1] = token.text[2] = '\0';
    for (i = 0; i < sizeof doubles / sizeof *doubles; i++)
        if (strncmp(at, doubles[i], 2) == 0)
            token.text[1] = at[1];
    at += strlen(token.text);
}

void next_token(void)
{
    skip_space();
    token.line = line;
    if (*at == '\0') {
        token.kind = T_END;
        strcpy(token.text, "end");
    } else if (isdigit((unsigned char)*at)) {
        token.kind = T_NUMBER;
        token.number = 0;
        while (isdigit((unsigned char)*at))
            token.number = token.number * 10 + (*at++ - '0');
        sprintf(token.text, "%ld", token.number);
    } else if (isalpha((unsigned char)*at) || *at == '_') {
        read_word();
    } else if (*at == '"') {
        read_string();
    } else {
        read_operator();
    }
}
