/* The program that a thread executed, as Python describes it (see program_tables.py). */

#ifndef WHENCE_REPLAY_PROGRAM_H
#define WHENCE_REPLAY_PROGRAM_H

#include "replay_base.h"

enum {  /* operations; the same order as in kernel.py */
    O_OTHER, O_LOAD, O_STORE, O_DELETE, O_PARAM, O_UNPACK, O_PHI, O_SET_ATTR, O_SET_ITEM, O_LIST,
    O_TUPLE, O_SET, O_DICT, O_NEXT, O_ATTR, O_ITEM, O_DEL_ATTR, O_DEL_ITEM, O_INPLACE, O_CALL,
    O_LAMBDA, O_GENEXPR, O_DEF, O_CLASS, O_COMP, O_IMPORT_FROM, O_ENTER, O_LEAVE, O_CAUGHT,
    O_FINALLY, O_RESUME, O_WITH_EXIT, O_RETURN, O_YIELD, O_BRANCH, O_EITHER, O_TRY, O_MATCH,
    O_METHOD, O_RAISE, O_RERAISE, O_JUMP
};
enum {  /* flags of operations; the same numbers as in kernel.py */
    F_LOGGED = 1, F_PLAIN = 2, F_RUNS_CODE = 4, F_GENEXPR = 8, F_ASYNC = 16, F_BRANCH = 32,
    F_EXTRA = 64, F_PRINTS = 128, F_ELEMENT = 256, F_AND = 512, F_INIT = 1024, F_LINK = 2048
};
enum { U_MODULE = 1, U_CLASS = 2, U_INIT = 4, U_NESTED = 8 };  /* flags of functions */
static const i32 NO_USE = -1, CONSTANT = -2;  /* instead of the operation of a use */

typedef struct {  /* the fields of Program in kernel.py */
    u64 n_ops, n_stretches, n_blocks, n_functions, n_modules, n_types;
    const u8 *op_code;
    const u16 *op_flags, *op_name_flags;
    const u32 *op_name;   /* the token of its name */
    const i32 *op_extra;  /* a function, an operation, an index: by opcode; -1: none */
    const u32 *op_extra_name;
    const i32 *op_slot;   /* of the variable that it loads or stores, in its owner */
    const u32 *op_stretch, *op_function, *use_start;
    const i32 *use;
    const u32 *use_constant;
    const u32 *stretch_first, *stretch_ops, *stretch_block;
    const u32 *block_first_stretch, *block_stretches, *following_start, *following;
    const u32 *controlling_start, *controlling;
    const u32 *function_first_op, *function_ops, *function_first_block, *function_blocks;
    const i32 *function_parent;
    const u32 *function_module, *function_flags, *function_last_name;
    const u32 *slot_start, *slot_name;  /* the variables of each function */
    const u32 *element_start, *element;
    const u32 *module_name, *module_scope;  /* module_scope: the function that is its body */
    const u8 *type_kind;
    const u64 *type_address;
    const u32 *ancestor_start;
    const u64 *ancestor;
} program_t;

static u32 use_count(const program_t *p, u32 op) { return p->use_start[op + 1] - p->use_start[op]; }

static i32 use_of(const program_t *p, u32 op, u32 at) { return p->use[p->use_start[op] + at]; }

static u32 last_op(const program_t *p, u32 stretch) {
    return p->stretch_first[stretch] + p->stretch_ops[stretch] - 1;
}

#endif
