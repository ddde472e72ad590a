#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"

#define MAX_JUMPS 32

struct loop {
    struct loop *outer;
    int start;
    int breaks[MAX_JUMPS];
    int break_count;
    int is_switch;
};

struct local {
    char name[NAME_SIZE];
    int depth;
};

static struct program *out;
static struct function *function; /* NULL outside of functions */
static struct local locals[MAX_LOCALS];
static int local_count, depth;
static struct loop *loop;

static void expression(void);
static void statement(void);

static int emit(int word)
{
    if (out->length == MAX_CODE)
        error_at(token.line, "program too long", "");
    out->code[out->length] = word;
    out->lines[out->length] = token.line;
    return out->length++;
}

static int emit_with(enum opcode op, int operand)
{
    emit(op);
    return emit(operand);
}

static void patch(int place)
{
    out->code[place] = out->length;
}

static int is_operator(const char *text)
{
    return token.kind == T_OPERATOR && strcmp(token.text, text) == 0;
}

static int accept(const char *text)
{
    if (!is_operator(text))
        return 0;
    next_token();
    return 1;
}

static void expect(const char *text)
{
    if (!accept(text))
        error_at(token.line, "expected ", text);
}

static int constant(long value)
{
    int i;
    for (i = 0; i < out->constant_count; i++)
        if (out->constants[i] == value)
            return i;
    if (out->constant_count == MAX_CONSTANTS)
        error_at(token.line, "too many constants", "");
    out->constants[out->constant_count] = value;
    return out->constant_count++;
}

static int find_local(const char *name)
{
    int i;
    for (i = local_count - 1; i >= 0; i--)
        if (strcmp(locals[i].name, name) == 0)
            return i;
    return -1;
}

static int find_global(const char *name)
{
    int i;
    for (i = 0; i < out->global_count; i++)
        if (strcmp(out->globals[i], name) == 0)
            return i;
    if (out->global_count == MAX_GLOBALS)
        error_at(token.line, "too many variables: ", name);
    strcpy(out->globals[out->global_count], name);
    return out->global_count++;
}

static int find_function(const char *name)
{
    int i;
    for (i = 0; i < out->function_count; i++)
        if (strcmp(out->functions[i].name, name) == 0)
            return i;
    if (out->function_count == MAX_FUNCTIONS)
        error_at(token.line, "too many functions: ", name);
    memset(&out->functions[i], 0, sizeof out->functions[i]);
    strcpy(out->functions[i].name, name);
    return out->function_count++;
}

static int add_local(const char *name)
{
    if (local_count == MAX_LOCALS)
        error_at(token.line, "too many variables: ", name);
    strcpy(locals[local_count].name, name);
    locals[local_count].depth = depth;
    if (local_count + 1 > function->locals)
        function->locals = local_count + 1;
    return local_count++;
}

static void load(const char *name)
{
    int slot = function != NULL ? find_local(name) : -1;
    if (slot >= 0)
        emit_with(OP_LOAD, slot);
    else
        emit_with(OP_GLOAD, find_global(name));
}

static void store(const char *name)
{
    int slot = function != NULL ? find_local(name) : -1;
    if (slot >= 0)
        emit_with(OP_STORE, slot);
    else
        emit_with(OP_GSTORE, find_global(name));
}

static void call(const char *name)
{
    int count = 0, number = find_builtin(name);
    if (!is_operator(")"))
        do {
            expression();
            count++;
        } while (accept(","));
    expect(")");
    if (number >= 0) {
        if (builtin_at(number)->parameters != count)
            error_at(token.line, "wrong number of arguments: ", name);
        emit_with(OP_BUILTIN, number);
    } else {
        emit_with(OP_CALL, find_function(name));
        emit(count);
    }
}

static void primary(void)
{
    char name[NAME_SIZE * 2];
    if (token.kind == T_NUMBER) {
        emit_with(OP_CONST, constant(token.number));
        next_token();
    } else if (token.kind == T_NAME) {
        strcpy(name, token.text);
        next_token();
        if (accept("("))
            call(name);
        else
            load(name);
    } else if (accept("(")) {
        expression();
        expect(")");
    } else if (accept("-")) {
        primary();
        emit(OP_NEG);
    } else if (accept("!")) {
        primary();
        emit(OP_NOT);
    } else {
        error_at(token.line, "unexpected ", token.text);
    }
}

static const struct {
    const char *text;
    int precedence;
    enum opcode op;
} operators[] = {
    {"==", 3, OP_EQ}, {"!=", 3, OP_NE}, {"<", 4, OP_LT}, {"<=", 4, OP_LE}, {">", 4, OP_GT},
    {">=", 4, OP_GE}, {"+", 5, OP_ADD}, {"-", 5, OP_SUB}, {"*", 6, OP_MUL}, {"/", 6, OP_DIV},
    {"%", 6, OP_MOD},
};

static void binary(int lowest)
{
    size_t i;
    primary();
again:
    if (token.kind != T_OPERATOR)
        return;
    for (i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (strcmp(operators[i].text, token.text) == 0 && operators[i].precedence >= lowest) {
            next_token();
            binary(operators[i].precedence + 1);
            emit(operators[i].op);
            goto again;
        }
    }
}

static void both(void)
{
    binary(3);
    while (accept("&&")) {
        int end;
        emit(OP_DUP);
        end = emit_with(OP_JUMP_FALSE, 0);
        emit(OP_POP);
        binary(3);
        patch(end);
    }
}

static void expression(void)
{
    both();
    while (accept("||")) {
        int right, end;
        emit(OP_DUP);
        right = emit_with(OP_JUMP_FALSE, 0);
        end = emit_with(OP_JUMP, 0);
        patch(right);
        emit(OP_POP);
        both();
        patch(end);
    }
}

static void block(void)
{
    depth++;
    expect("{");
    while (!is_operator("}"))
        statement();
    expect("}");
    depth--;
    while (local_count > 0 && locals[local_count - 1].depth > depth)
        local_count--;
}

static void end_loop(struct loop *ended)
{
    int i;
    for (i = 0; i < ended->break_count; i++)
        patch(ended->breaks[i]);
    loop = ended->outer;
}

static void begin_loop(struct loop *begun, int is_switch)
{
    memset(begun, 0, sizeof *begun);
    begun->outer = loop;
    begun->start = out->length;
    begun->is_switch = is_switch;
    loop = begun;
}

static void while_statement(void)
{
    struct loop own;
    int end;
    begin_loop(&own, 0);
    expect("(");
    expression();
    expect(")");
    end = emit_with(OP_JUMP_FALSE, 0);
    block();
    emit_with(OP_JUMP, own.start);
    patch(end);
    end_loop(&own);
}

static void switch_statement(void)
{
    struct loop own;
    int next = -1, fall = -1, had_default = 0;
    begin_loop(&own, 1);
    expect("(");
    expression();
    expect(")");
    expect("{");
    while (token.kind == T_CASE || token.kind == T_DEFAULT) {
        int is_default = token.kind == T_DEFAULT;
        next_token();
        if (fall >= 0 || next >= 0)
            fall = emit_with(OP_JUMP, 0);
        if (next >= 0)
            patch(next);
        next = -1;
        if (!is_default) {
            emit(OP_DUP);
            emit_with(OP_CONST, constant(token.number));
            next_token();
            emit(OP_EQ);
            next = emit_with(OP_JUMP_FALSE, 0);
        }
        had_default |= is_default;
        expect(":");
        if (fall >= 0)
            patch(fall);
        fall = 0;
        while (!is_operator("}") && token.kind != T_CASE && token.kind != T_DEFAULT)
            statement();
    }
    expect("}");
    if (next >= 0)
        patch(next);
    end_loop(&own);
    emit(OP_POP);
}

static void jump_statement(int is_break)
{
    struct loop *target = loop;
    int line = token.line;
    next_token();
    expect(";");
    while (!is_break && target != NULL && target->is_switch) {
        emit(OP_POP);
        target = target->outer;
    }
    if (target == NULL)
        error_at(line, "not in a loop", "");
    if (!is_break)
        emit_with(OP_JUMP, target->start);
    else if (target->break_count < MAX_JUMPS)
        target->breaks[target->break_count++] = emit_with(OP_JUMP, 0);
}

static void assignment(void)
{
    char name[NAME_SIZE * 2];
    strcpy(name, token.text);
    next_token();
    if (accept("(")) {
        call(name);
        emit(OP_POP);
    } else if (accept("+=")) {
        load(name);
        expression();
        emit(OP_ADD);
        store(name);
    } else if (accept("-=")) {
        load(name);
        expression();
        emit(OP_SUB);
        store(name);
    } else {
        expect("=");
        expression();
        store(name);
    }
    expect(";");
}

static void statement(void)
{
    int other, end;
    switch (token.kind) {
    case T_VAR:
        next_token();
        if (function != NULL)
            add_local(token.text);
        assignment();
        break;
    case T_IF:
        next_token();
        expect("(");
        expression();
        expect(")");
        other = emit_with(OP_JUMP_FALSE, 0);
        block();
        if (token.kind == T_ELSE) {
            next_token();
            end = emit_with(OP_JUMP, 0);
            patch(other);
            block();
            patch(end);
        } else {
            patch(other);
        }
        break;
    case T_WHILE:
        next_token();
        while_statement();
        break;
    case T_SWITCH:
        next_token();
        switch_statement();
        break;
    case T_BREAK:
        jump_statement(1);
        break;
    case T_CONTINUE:
        jump_statement(0);
        break;
    case T_RETURN:
        next_token();
        expression();
        expect(";");
        emit(OP_RETURN);
        break;
    case T_PRINT:
        next_token();
        do {
            if (token.kind == T_STRING) {
                strcpy(out->texts[out->text_count], token.text);
                emit_with(OP_PRINT_TEXT, out->text_count++);
                next_token();
            } else {
                expression();
                emit(OP_PRINT);
            }
        } while (accept(","));
        strcpy(out->texts[out->text_count], "\n");
        emit_with(OP_PRINT_TEXT, out->text_count++);
        expect(";");
        break;
    case T_NAME:
        assignment();
        break;
    default:
        error_at(token.line, "unexpected ", token.text);
    }
}

static void define_function(void)
{
    int over = emit_with(OP_JUMP, 0);
    next_token();
    function = &out->functions[find_function(token.text)];
    next_token();
    local_count = 0;
    depth = 0;
    expect("(");
    if (!is_operator(")"))
        do {
            add_local(token.text);
            function->parameters++;
            next_token();
        } while (accept(","));
    expect(")");
    function->entry = out->length;
    function->is_defined = 1;
    block();
    emit_with(OP_CONST, constant(0));
    emit(OP_RETURN);
    patch(over);
    function = NULL;
}

void compile(struct program *program)
{
    out = program;
    memset(out, 0, sizeof *out);
    next_token();
    while (token.kind != T_END) {
        if (token.kind == T_FUNC)
            define_function();
        else
            statement();
    }
    emit(OP_HALT);
}
