/* machine: compiles a small language to byte code and runs it. */
#ifndef MACHINE_H
#define MACHINE_H

#define MAX_CODE 1024
#define MAX_CONSTANTS 64
#define MAX_GLOBALS 32
#define MAX_LOCALS 16
#define MAX_STACK 128
#define MAX_FRAMES 32
#define MAX_FUNCTIONS 16
#define NAME_SIZE 16

enum token_kind {
    T_END, T_NUMBER, T_NAME, T_STRING, T_OPERATOR,
    T_FUNC, T_VAR, T_IF, T_ELSE, T_WHILE, T_BREAK, T_CONTINUE, T_RETURN, T_PRINT, T_SWITCH, T_CASE, T_DEFAULT,
};

struct token {
    enum token_kind kind;
    char text[NAME_SIZE * 2];
    long number;
    int line;
};

enum opcode {
    OP_CONST, OP_POP, OP_DUP, OP_SWAP, OP_LOAD, OP_STORE, OP_GLOAD, OP_GSTORE,
    OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_NEG, OP_NOT,
    OP_EQ, OP_NE, OP_LT, OP_LE, OP_GT, OP_GE,
    OP_JUMP, OP_JUMP_FALSE, OP_CALL, OP_BUILTIN, OP_RETURN, OP_PRINT, OP_PRINT_TEXT, OP_HALT,
};

struct function {
    char name[NAME_SIZE];
    int entry;
    int parameters;
    int locals;
    int is_defined;
};

struct program {
    int code[MAX_CODE];
    int lines[MAX_CODE];
    int length;
    long constants[MAX_CONSTANTS];
    int constant_count;
    char texts[16][NAME_SIZE * 2];
    int text_count;
    struct function functions[MAX_FUNCTIONS];
    int function_count;
    char globals[MAX_GLOBALS][NAME_SIZE];
    int global_count;
};

/* lexer.c */
void open_source(const char *text);
void next_token(void);
extern struct token token;

/* compiler.c */
void compile(struct program *program);

/* builtins.c */
typedef long (*builtin)(const long *arguments);
struct builtin_entry {
    const char *name;
    int parameters;
    builtin run;
};
int find_builtin(const char *name);
const struct builtin_entry *builtin_at(int index);

/* vm.c */
struct vm_statistics {
    long steps, calls;
    int deepest;
};
extern struct vm_statistics vm_statistics;
long run(const struct program *program);

/* optimise.c */
void optimise(struct program *program);

void error_at(int line, const char *message, const char *about);

#endif
