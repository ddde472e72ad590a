// Builtins of clang: overflow, bits, hints, sizes, frames, copies, rotation, assume.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OVERFLOWS(type, name, a, b)                                                  \
    do {                                                                             \
        volatile type x = a, y = b;                                                  \
        type sum, less, product;                                                     \
        int over = __builtin_add_overflow(x, y, &sum) + 2 * __builtin_sub_overflow(x, y, &less) + \
                   4 * __builtin_mul_overflow(x, y, &product);                       \
        printf(name " %lld %lld %lld %d\n", (long long)sum, (long long)less, (long long)product, over); \
    } while (0)

static int chosen(int x) {
    switch (x) {
    case 1: return 10;
    case 2: return 20;
    default: __builtin_unreachable();
    }
}
__attribute__((noinline)) static void *frame(void) { return __builtin_frame_address(0); }
__attribute__((noinline)) static void *caller(void) { return __builtin_return_address(0); }
__attribute__((noreturn)) static void give_up(void) { __builtin_trap(); }

int main(int argc, char **argv) {
    OVERFLOWS(int8_t, "i8", 100, 50);
    OVERFLOWS(uint8_t, "u8", 200, 100);
    OVERFLOWS(int16_t, "i16", -30000, 5000);
    OVERFLOWS(uint16_t, "u16", 60000, 6000);
    OVERFLOWS(int, "i32", 2147483647, -3);
    OVERFLOWS(unsigned, "u32", 1, 2);
    OVERFLOWS(long, "i64", INT64_MIN, 1);
    OVERFLOWS(unsigned long, "u64", ~0ul, 2);
    OVERFLOWS(__int128, "i128", (__int128)1 << 126, 3);
    volatile unsigned u = 0x00f0a000;
    volatile unsigned long ul = 0x0123456789abcdef;
    volatile unsigned short us = 0x1234;
    volatile unsigned char uc = 0x96;
    printf("%d %d %d %d %d %d\n", __builtin_popcount(u), __builtin_clz(u), __builtin_ctz(u),
           __builtin_ffs(u), __builtin_parity(u), __builtin_clrsb((int)u));
    printf("%d %d %d %d\n", __builtin_popcountl(ul), __builtin_clzl(ul), __builtin_ctzl(ul), __builtin_ffsl(ul));
    printf("%x %x %lx\n", __builtin_bswap16(us), __builtin_bswap32(u), __builtin_bswap64(ul));
    printf("%x %x %x %lx\n", __builtin_bitreverse8(uc), __builtin_bitreverse16(us),
           __builtin_bitreverse32(u), __builtin_bitreverse64(ul));
    printf("%x %x %x %lx\n", __builtin_rotateleft8(uc, 3), __builtin_rotateright16(us, 5),
           __builtin_rotateleft32(u, 7), __builtin_rotateright64(ul, 9));
    printf("%d %d\n", __builtin_popcountg((unsigned __int128)ul * ul), __builtin_clzg(us, 99));
    printf("%ld %d %d\n", __builtin_expect(argc, 1), (int)__builtin_expect_with_probability(argc, 1, 0.9),
           __builtin_constant_p(7) + __builtin_constant_p(u));
    char buffer[24];
    char *grown = malloc(12 + u % 2);
    printf("%zu %zu %d\n", __builtin_object_size(buffer + 4, 0), __builtin_object_size(argv, 1),
           __builtin_dynamic_object_size(grown, 0) != 0);
    printf("%d %d\n", frame() != NULL, caller() != NULL);
    __builtin_assume(argc > 0);
    __builtin_prefetch(buffer, 1, 3);
    int words[4] = {1, 2, 3, 4}, copy[4];
    __builtin_memcpy_inline(copy, words, sizeof words);
    __builtin_memset_inline(words, 1, 8);
    __builtin_memcpy(words + 2, copy, 8), __builtin_memmove(copy + 1, copy, 8);
    printf("%d %d %d %d\n", words[0], words[3], copy[1], copy[2]);
    int *aligned = __builtin_assume_aligned(copy, 4);
    int slot = __builtin_is_aligned(aligned, 4) + (__builtin_align_up(uc, 64) == 192);
    printf("%d %d %d\n", slot, __builtin_align_down((char *)copy + 3, 4) == (char *)copy, chosen(2));
    printf("%d %d %zu\n", __builtin_strcmp("a", "b") < 0, __builtin_abs(-(int)us), __builtin_strlen("four"));
    printf("%ld %lld\n", __builtin_labs(-5L), __builtin_llabs(-6LL));
    printf("%d %d\n", __builtin_isnan(0.0 / (double)(u - u)), __builtin_signbit(-0.0));
    printf("%u %u\n", __builtin_elementwise_add_sat(u, ~0u), __builtin_elementwise_sub_sat(1u, u));
    printf("%d\n", __builtin_nondeterministic_value(slot) & 0);
    printf("%g %d\n", __arithmetic_fence((double)u + 1), __builtin_choose_expr(1, 5, 6));
    int annotated __attribute__((annotate("seen"))) = 3;
    unsigned carry;
    unsigned long long wide = __builtin_addcll(~0ull, 1, 0, &(unsigned long long){0});
    unsigned part = __builtin_addc(~0u, 1u, 1u, &carry);
    printf("%d %llu %u %u\n", annotated, wide, part, carry);
    unsigned long long ticks = __builtin_readcyclecounter();
    __builtin___clear_cache(buffer, buffer + sizeof buffer);
    printf("%d\n", ticks != 1);
    free(grown);
    if (argc == 77) give_up();
    return 0;
}
