// Atomics: every read-modify-write at every width, exchange, compare-exchange, fences, orders.
#include <stdatomic.h>
#include <stdio.h>

#define WIDTH(type, name)                                                              \
    static void name(void) {                                                           \
        static _Atomic(type) shared = 5;                                               \
        type old = 77, sum = 0;                                                        \
        sum += atomic_fetch_add(&shared, 3) + atomic_fetch_sub(&shared, 1);            \
        sum += atomic_fetch_or(&shared, 8) + atomic_fetch_and(&shared, 12);            \
        sum += atomic_fetch_xor(&shared, 6) + atomic_exchange(&shared, 9);             \
        sum += __atomic_fetch_nand((type *)&shared, 3, __ATOMIC_RELAXED);              \
        sum += __atomic_fetch_max((type *)&shared, 4, __ATOMIC_SEQ_CST);               \
        sum += __atomic_fetch_min((type *)&shared, 50, __ATOMIC_ACQUIRE);              \
        sum += atomic_fetch_add_explicit(&shared, 1, memory_order_relaxed);            \
        int missed = atomic_compare_exchange_strong(&shared, &old, 1);                 \
        int hit = atomic_compare_exchange_strong(&shared, &old, 11);                   \
        while (!atomic_compare_exchange_weak_explicit(&shared, &old, 21,               \
                                                      memory_order_acq_rel, memory_order_relaxed)) \
            sum++;                                                                     \
        shared += 2, shared++, --shared, shared *= 3;                                  \
        atomic_store_explicit(&shared, shared + 1, memory_order_release);              \
        old = atomic_load_explicit(&shared, memory_order_acquire);                     \
        printf(#name " %lld %lld %d %d\n", (long long)old, (long long)sum, missed, hit); \
    }
WIDTH(signed char, byte)
WIDTH(unsigned short, half)
WIDTH(int, word)
WIDTH(unsigned, natural)
WIDTH(long, full)

struct pair { int a, b; };

int main(void) {
    byte(), half(), word(), natural(), full();
    static _Atomic _Bool ready;
    printf("%d %d\n", atomic_exchange(&ready, 1), ready);
    atomic_flag flag = ATOMIC_FLAG_INIT;
    printf("%d", atomic_flag_test_and_set(&flag));
    printf("%d\n", atomic_flag_test_and_set(&flag));
    atomic_flag_clear(&flag);
    int place[3] = {1, 2, 3};
    int *_Atomic at = place;
    at++;
    int *was = atomic_fetch_add(&at, 1);
    printf("%d %d\n", *was, *at);
    static _Atomic double real = 1.5;
    real += 2.25;
    real = real * 2;
    static _Atomic(struct pair) both;
    atomic_store(&both, ((struct pair){3, 4}));
    struct pair seen = atomic_exchange(&both, ((struct pair){5, 6}));
    printf("%g %d %d\n", (double)real, seen.a, atomic_load(&both).b);
    float f = 1;
    __atomic_fetch_add(&f, 2.5f, __ATOMIC_SEQ_CST), __atomic_fetch_sub(&f, 1.0f, __ATOMIC_SEQ_CST);
    double most = 1;
    __atomic_fetch_max(&most, 4.5, __ATOMIC_SEQ_CST), __atomic_fetch_min(&most, 4.25, __ATOMIC_SEQ_CST);
    unsigned ring = 6;
#if __has_builtin(__atomic_fetch_uinc)
    __atomic_fetch_uinc(&ring, 7u, __ATOMIC_SEQ_CST), __atomic_fetch_udec(&ring, 9u, __ATOMIC_SEQ_CST);
#endif
    int *expected = was;
    printf("%d %g\n", atomic_compare_exchange_strong(&at, &expected, was + 1), most);
    __sync_fetch_and_add(&place[0], 5);
    printf("%g %d %d\n", f, place[0], __sync_bool_compare_and_swap(&ring, 6, 7));
    atomic_thread_fence(memory_order_seq_cst), atomic_thread_fence(memory_order_acquire);
    atomic_signal_fence(memory_order_release);
    __sync_synchronize();
    return 0;
}
