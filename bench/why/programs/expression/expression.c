/*
 * expression: evaluates integer and boolean expressions, line by line.
 *
 *     usage: expression [-t] [NAME=NUMBER]... <script
 *
 *     2 + 3 * 4                  prints 14
 *     area = width * 3           binds a variable
 *     def twice(x) = x + x       defines a function
 *     max(1, twice(2)) > 3       functions, comparisons (1 is true, 0 is false)
 *     a > b ? a : b              the condition decides which side is evaluated
 *
 * With -t each expression is also printed as a tree.  A line with an error
 * prints what is wrong with it; the next line goes on.
 */
#include <assert.h>
#include <ctype.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_NAME 16
#define MAX_VARIABLES 32
#define MAX_FUNCTIONS 8
#define MAX_PARAMETERS 4
#define MAX_NODES 256
#define MAX_DEPTH 20
#define LINE_SIZE 160

enum kind {
    NODE_NUMBER,
    NODE_VARIABLE,
    NODE_NEGATE,
    NODE_NOT,
    NODE_BINARY,
    NODE_CHOICE,
    NODE_CALL,
};

enum op {
    OP_OR, OP_AND,
    OP_EQ, OP_NE, OP_LE, OP_GE, OP_LT, OP_GT,
    OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_POW,
};

struct operator {
    const char *text;
    enum op op;
    int precedence;
    bool right; /* a ^ b ^ c is a ^ (b ^ c) */
};

/* Of two that start alike, the longer one comes first. */
static const struct operator operators[] = {
    {"||", OP_OR, 1, false},  {"&&", OP_AND, 2, false},
    {"==", OP_EQ, 3, false},  {"!=", OP_NE, 3, false},
    {"<=", OP_LE, 4, false},  {">=", OP_GE, 4, false},
    {"<", OP_LT, 4, false},   {">", OP_GT, 4, false},
    {"+", OP_ADD, 5, false},  {"-", OP_SUB, 5, false},
    {"*", OP_MUL, 6, false},  {"/", OP_DIV, 6, false},
    {"%", OP_MOD, 6, false},  {"^", OP_POW, 8, true},
};

#define UNARY_PRECEDENCE 7

struct node {
    enum kind kind;
    enum op op;
    long number;
    char name[MAX_NAME];
    int count; /* of children */
    struct node *child[MAX_PARAMETERS];
};

struct variable {
    char name[MAX_NAME];
    long value;
};

struct function {
    char name[MAX_NAME];
    int count; /* of parameters */
    char parameters[MAX_PARAMETERS][MAX_NAME];
    struct node *body;
};

static struct node nodes[MAX_NODES];
static int node_count;
static struct variable variables[MAX_VARIABLES];
static int variable_count;
static struct function functions[MAX_FUNCTIONS];
static int function_count;
static int depth;
static const char *at; /* what is still to be read of the line */
static jmp_buf next_line;

static void fail(const char *message, const char *about)
{
    printf("error: %s%s%s\n", message, *about != '\0' ? " " : "", about);
    longjmp(next_line, 1);
}

/* ---- reading ---------------------------------------------------------- */

static struct node *parse_expression(void);

static struct node *new_node(enum kind kind)
{
    if (node_count == MAX_NODES)
        fail("too many expressions", "");
    struct node *node = &nodes[node_count++];
    memset(node, 0, sizeof *node);
    node->kind = kind;
    return node;
}

static void add_child(struct node *node, struct node *child)
{
    if (node->count == MAX_PARAMETERS)
        fail("too many arguments for", node->name);
    node->child[node->count++] = child;
}

static void skip_blanks(void)
{
    while (*at == ' ' || *at == '\t')
        at++;
}

static bool accept(char wanted)
{
    skip_blanks();
    if (*at != wanted)
        return false;
    at++;
    return true;
}

static void expect(char wanted)
{
    char text[2] = {wanted, '\0'};
    if (!accept(wanted))
        fail("expected", text);
}

static void read_name(char name[MAX_NAME])
{
    int length = 0;
    skip_blanks();
    while (isalnum((unsigned char)*at) || *at == '_') {
        if (length == MAX_NAME - 1)
            fail("name too long:", at);
        name[length++] = *at++;
    }
    name[length] = '\0';
}

static const struct operator *peek_operator(void)
{
    skip_blanks();
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        if (strncmp(at, operators[i].text, strlen(operators[i].text)) == 0)
            return &operators[i];
    }
    return NULL;
}

static struct node *parse_number(void)
{
    struct node *node = new_node(NODE_NUMBER);
    while (isdigit((unsigned char)*at))
        node->number = node->number * 10 + (*at++ - '0');
    return node;
}

static struct node *parse_name_or_call(void)
{
    struct node *node = new_node(NODE_VARIABLE);
    read_name(node->name);
    if (!accept('('))
        return node;
    node->kind = NODE_CALL;
    if (accept(')'))
        return node;
    do
        add_child(node, parse_expression());
    while (accept(','));
    expect(')');
    return node;
}

static struct node *parse_primary(void)
{
    skip_blanks();
    if (isdigit((unsigned char)*at))
        return parse_number();
    if (isalpha((unsigned char)*at))
        return parse_name_or_call();
    if (accept('(')) {
        struct node *inside = parse_expression();
        expect(')');
        return inside;
    }
    fail("expected a value at", *at != '\0' ? at : "the end");
    return NULL;
}

static struct node *parse_binary(int lowest);

static struct node *parse_unary(void)
{
    enum kind kind;
    if (accept('-'))
        kind = NODE_NEGATE;
    else if (accept('!'))
        kind = NODE_NOT;
    else
        return parse_primary();
    struct node *node = new_node(kind);
    add_child(node, parse_binary(UNARY_PRECEDENCE));
    return node;
}

/* Operators that bind at least as tightly as `lowest`. */
static struct node *parse_binary(int lowest)
{
    struct node *left = parse_unary();
    const struct operator *operator = peek_operator();
    while (operator != NULL && operator->precedence >= lowest) {
        struct node *node = new_node(NODE_BINARY);
        at += strlen(operator->text);
        node->op = operator->op;
        add_child(node, left);
        int lowest_right = operator->right ? operator->precedence : operator->precedence + 1;
        add_child(node, parse_binary(lowest_right));
        left = node;
        operator = peek_operator();
    }
    return left;
}

static struct node *parse_expression(void)
{
    struct node *condition = parse_binary(1);
    if (!accept('?'))
        return condition;
    struct node *node = new_node(NODE_CHOICE);
    add_child(node, condition);
    add_child(node, parse_expression());
    expect(':');
    add_child(node, parse_expression());
    return node;
}

static struct node *parse_whole(void)
{
    struct node *node = parse_expression();
    skip_blanks();
    if (*at != '\0')
        fail("left over:", at);
    return node;
}

/* ---- evaluation ------------------------------------------------------- */

static long evaluate(const struct node *node);

/* The innermost variable of that name, or NULL: parameters are bound last. */
static struct variable *find_variable(const char *name)
{
    for (int i = variable_count - 1; i >= 0; i--) {
        if (strcmp(variables[i].name, name) == 0)
            return &variables[i];
    }
    return NULL;
}

static void push_variable(const char *name, long value)
{
    if (variable_count == MAX_VARIABLES)
        fail("too many variables at", name);
    strcpy(variables[variable_count].name, name);
    variables[variable_count].value = value;
    variable_count++;
}

static void set_variable(const char *name, long value)
{
    struct variable *variable = find_variable(name);
    if (variable != NULL)
        variable->value = value;
    else
        push_variable(name, value);
}

static const struct function *find_function(const char *name)
{
    for (int i = function_count - 1; i >= 0; i--) {
        if (strcmp(functions[i].name, name) == 0)
            return &functions[i];
    }
    return NULL;
}

static long power(long base, long exponent)
{
    long result = 1;
    if (exponent < 0)
        fail("negative exponent", "");
    while (exponent > 0) {
        if (exponent % 2 == 1)
            result *= base;
        base *= base;
        exponent /= 2;
    }
    return result;
}

static long greatest_common_divisor(long a, long b)
{
    while (b != 0) {
        long rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static long absolute(long a, long unused)
{
    (void)unused;
    return a < 0 ? -a : a;
}

static long smaller(long a, long b)
{
    return a < b ? a : b;
}

static long larger(long a, long b)
{
    return a > b ? a : b;
}

static const struct {
    const char *name;
    int count;
    long (*run)(long, long);
} builtins[] = {
    {"abs", 1, absolute},
    {"gcd", 2, greatest_common_divisor},
    {"max", 2, larger},
    {"min", 2, smaller},
};

static long apply(enum op op, long a, long b)
{
    switch (op) {
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_LE: return a <= b;
    case OP_GE: return a >= b;
    case OP_LT: return a < b;
    case OP_GT: return a > b;
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_POW: return power(a, b);
    case OP_DIV:
        if (b == 0)
            fail("division by zero", "");
        return a / b;
    case OP_MOD:
        if (b == 0)
            fail("remainder of a division by zero", "");
        return a % b;
    default:
        break;
    }
    assert(!"an operator without a meaning");
    return 0;
}

static long evaluate_binary(const struct node *node)
{
    long left = evaluate(node->child[0]);
    if (node->op == OP_AND)
        return left != 0 && evaluate(node->child[1]) != 0;
    if (node->op == OP_OR)
        return left != 0 || evaluate(node->child[1]) != 0;
    return apply(node->op, left, evaluate(node->child[1]));
}

static long call_function(const struct function *function, const struct node *call)
{
    long arguments[MAX_PARAMETERS];
    int outer = variable_count;
    if (call->count != function->count)
        fail("wrong number of arguments for", call->name);
    if (++depth > MAX_DEPTH)
        fail("too many calls inside each other of", call->name);

    /* All arguments belong to the caller: none may see a parameter. */
    for (int i = 0; i < call->count; i++)
        arguments[i] = evaluate(call->child[i]);
    for (int i = 0; i < call->count; i++)
        push_variable(function->parameters[i], arguments[i]);
    long result = evaluate(function->body);
    variable_count = outer;
    depth--;
    return result;
}

static long evaluate_call(const struct node *node)
{
    const struct function *function = find_function(node->name);
    if (function != NULL)
        return call_function(function, node);
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        if (strcmp(builtins[i].name, node->name) != 0)
            continue;
        if (builtins[i].count != node->count)
            fail("wrong number of arguments for", node->name);
        long first = evaluate(node->child[0]);
        long second = node->count > 1 ? evaluate(node->child[1]) : 0;
        return builtins[i].run(first, second);
    }
    fail("no such function:", node->name);
    return 0;
}

static long evaluate(const struct node *node)
{
    const struct variable *variable;
    switch (node->kind) {
    case NODE_NUMBER:
        return node->number;
    case NODE_VARIABLE:
        variable = find_variable(node->name);
        if (variable == NULL)
            fail("no such variable:", node->name);
        return variable->value;
    case NODE_NEGATE:
        return -evaluate(node->child[0]);
    case NODE_NOT:
        return evaluate(node->child[0]) == 0;
    case NODE_BINARY:
        return evaluate_binary(node);
    case NODE_CHOICE:
        return evaluate(node->child[evaluate(node->child[0]) != 0 ? 1 : 2]);
    case NODE_CALL:
        return evaluate_call(node);
    }
    return 0;
}

/* ---- lines ------------------------------------------------------------ */

static void print_tree(const struct node *node)
{
    switch (node->kind) {
    case NODE_NUMBER: printf("%ld", node->number); return;
    case NODE_VARIABLE: printf("%s", node->name); return;
    case NODE_NEGATE: printf("(-"); break;
    case NODE_NOT: printf("(!"); break;
    case NODE_CHOICE: printf("(?"); break;
    case NODE_CALL: printf("(%s", node->name); break;
    case NODE_BINARY:
        for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
            if (operators[i].op == node->op)
                printf("(%s", operators[i].text);
        }
        break;
    }
    for (int i = 0; i < node->count; i++) {
        putchar(' ');
        print_tree(node->child[i]);
    }
    putchar(')');
}

static void define_function(void)
{
    struct function function = {.count = 0};
    read_name(function.name);
    expect('(');
    if (!accept(')')) {
        do {
            if (function.count == MAX_PARAMETERS)
                fail("too many parameters for", function.name);
            read_name(function.parameters[function.count++]);
        } while (accept(','));
        expect(')');
    }
    expect('=');
    function.body = parse_whole();
    if (function_count == MAX_FUNCTIONS)
        fail("too many functions at", function.name);
    functions[function_count++] = function;
}

/* Reads `NAME =` and nothing else: `NAME ==` is an expression. */
static bool accept_assignment(char name[MAX_NAME])
{
    const char *start = at;
    skip_blanks();
    if (isalpha((unsigned char)*at)) {
        read_name(name);
        if (accept('=') && *at != '=')
            return true;
    }
    at = start;
    return false;
}

static void run_line(const char *line, bool show_tree)
{
    char name[MAX_NAME];
    at = line;
    skip_blanks();
    if (*at == '\0' || *at == '#')
        return;
    if (strncmp(at, "def ", 4) == 0) {
        at += 4;
        define_function();
        return;
    }

    int first_node = node_count;
    bool assigns = accept_assignment(name);
    struct node *node = parse_whole();
    if (show_tree) {
        print_tree(node);
        putchar('\n');
    }
    long value = evaluate(node);
    if (assigns)
        set_variable(name, value);
    else
        printf("%ld\n", value);
    node_count = first_node;
}

int main(int argc, char **argv)
{
    bool show_tree = false;
    char line[LINE_SIZE];
    for (int i = 1; i < argc; i++) {
        char *equals = strchr(argv[i], '=');
        if (strcmp(argv[i], "-t") == 0) {
            show_tree = true;
        } else if (equals != NULL && equals - argv[i] < MAX_NAME) {
            *equals = '\0';
            set_variable(argv[i], atol(equals + 1));
        } else {
            fprintf(stderr, "usage: expression [-t] [NAME=NUMBER]... <script\n");
            return 2;
        }
    }

    while (fgets(line, sizeof line, stdin) != NULL) {
        int outer = variable_count, first_node = node_count;
        line[strcspn(line, "\n")] = '\0';
        if (setjmp(next_line) == 0) {
            run_line(line, show_tree);
        } else {
            variable_count = outer;
            node_count = first_node;
            depth = 0;
        }
        assert(depth == 0);
    }
    return 0;
}
