/* What does a recorded program consist of?  These tables come from Python; all indices are
   program-wide.  The layouts are those of the numpy dtypes in program.py. */
#ifndef WHENCE_TABLES_H
#define WHENCE_TABLES_H
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t i32;
typedef int64_t i64;

#define NONE 0xffffffffu     /* no operand, no block */
#define MIXED 0xe0000000u    /* links from here on: several steps wrote the bytes */
#define CONSTANT 0x80000000u /* flag of an operand: an index into constants */

enum code {
    NOP, ADD, SUB, MUL, UDIV, SDIV, UREM, SREM, SHL, LSHR, ASHR, AND, OR, XOR, ICMP,
    FADD, FSUB, FMUL, FDIV, FREM, FNEG, FCMP, TRUNC, SEXT, MOVE, FPTRUNC, FPEXT,
    FPTOUI, FPTOSI, UITOFP, SITOFP, SELECT, GEPC, GEP, LOAD, STORE, LLOAD, LSTORE,
    ALLOCA, LALLOCA, COPY, FILL, LFILL, LCOPYOUT, LCOPY, CALL, PHI, RET, BR, CBR, SWITCH,
    INDIRECTBR, UNREACHABLE, OPAQUE, RMW, INSERT, EXTRACT, OVERFLOWING, ABS, SMAX, SMIN,
    UMAX, UMIN, CTPOP, CTLZ, CTTZ, BSWAP, FSHL, FSHR, BITREVERSE, FABS, SQRT, COPYSIGN,
    FLOOR, CEIL, TRUNCF, RINT, VASTART, LANDINGPAD, RESUME, N_CODES,
    /* Private to the kernel: frequent cases of the above, selected once by `specialise`. */
    LOAD1 = 128, LOAD2, LOAD4, LOAD8, STORE1, STORE2, STORE4, STORE8,
    LLOAD1, LLOAD2, LLOAD4, LLOAD8, LSTORE1, LSTORE2, LSTORE4, LSTORE8,
    ADD32, ADD64, SUB32, SUB64, MOVE1, SEXT32, ICMP32, ICMP64, GEP1
};

enum { LOGGED = 1, LINK = 2, CHECKED = 4, CORRECTED = 8 }; /* flags of an op */
enum { FPARAMS = 1, FLANDS = 2, FWIDE = 4, FVARIADIC = 8, FQUIET = 16 }; /* of a function */
enum { BYVAL = 1 };                                     /* of a parameter */
enum { MARKED = 1, LANDING = 2 };                       /* of a block */
enum { SURE = 1, NORETURN = 2, TWICE = 4, INVOKE = 8, ASM = 16, QUIET_CALL = 32, PURE = 64,
       WRITES_LOGGED = 128, ERRNO_ADDRESS = 256 };        /* of a call */

/* Positions in the extras of a call. */
enum { X_CALLEE, X_SYMBOL, X_ARGS, X_BYTES, X_SLOTS, X_FLAGS, X_SITE, X_NORMAL, X_VARIADIC, X_LIST };

struct op { u8 code, flags; u16 bits; u32 dst, a, b, c, x; };
struct function {
    u64 fid;
    u32 name, first_block, n_blocks, first_stretch, n_stretches, first_op, n_ops, n_slots,
        local_bytes, first_param, n_params, first_site, n_sites, flags, symbol, pad;
};
struct param { u32 slot, size, n_slots, flags; u64 byval_size; };
struct block { u32 first_stretch, n_stretches, ipdom, flags, site; };
struct stretch { u32 block, first_op, n_ops, n_links; };
struct site { u32 kind, target; };                      /* kind 0: landing block, 1: setjmp */
struct initial { u64 address, size; const u8 *bytes; }; /* bytes NULL: constant memory */

struct tables {
    const struct op *ops;
    const u32 *extras;
    const u64 *constants;
    const struct function *functions;
    const struct param *params;
    const struct block *blocks;
    const struct stretch *stretches;
    const struct site *sites;
    const u64 *entries; /* address of each function; 0: unknown */
    const struct initial *initial;
    u64 n_ops, n_extras, n_constants, n_functions, n_params, n_blocks, n_stretches, n_sites,
        n_initial;
};

/* Is every index in the tables in range, and every block well formed?  If so, return 0, and the
   interpreter need not check again; else fill `message`. */
int check_tables(const struct tables *t, char *message, size_t size);

/* Return the number of slots of the result of `o` (0 for none and for a call). */
u32 result_slots(const struct tables *t, const struct op *o);

#endif
