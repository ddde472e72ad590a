/* A tour of C: each function makes clang emit another shape of IR. */
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

struct small { char c; short s; int i; };
struct large { struct small inner[3]; double d; long double ld; char tail[]; };
struct __attribute__((packed)) tight { char c; int i; long l; };
struct bits { unsigned a : 3, b : 7; int c : 20; unsigned long d : 40; };
union either { int i; float f; char bytes[12]; };
struct node { struct node *next; int (*call)(struct node *, int); };
struct opaque;
typedef float v4 __attribute__((vector_size(16)));
typedef int v4i __attribute__((vector_size(16)));
typedef _Bool flags_t;

extern int elsewhere;
extern struct opaque *hidden;
extern int weakly(int) __attribute__((weak));
int common;
static int zeroed[10];
const char greeting[] = "tab\t quote\" backslash\\ \x01\xff";
static const char *const names[] = {"a", "bb", greeting + 2};
static const double numbers[] = {0.0, 1.5, 0.1, 1e300, -2.0, 3.14159};
static const long double longs[] = {1.0L, 0.1L};
static const float floats[] = {1.0f, 0.1f, __builtin_inff(), __builtin_nanf("")};
static struct large big = {{{1, 2, 3}, {4, 5, 6}}, 2.5, 1.25L};
static union either which = {.f = 1.0f};
static struct tight packed_value = {1, 2, 3};
static int *middle = &zeroed[5];
static long distance = (long)&zeroed[3];
static __int128 wide = ((__int128)1 << 100) + 7;
static v4 four = {1, 2, 3, 4};
static v4i same = {7, 7, 7, 7};
_Thread_local int per_thread = 3;
static _Thread_local struct small per_thread_struct;
__attribute__((section("my section"), aligned(64), used)) static int placed = 9;
__attribute__((visibility("hidden"))) int unseen = 1;
__attribute__((weak)) int overridable = 2;
int aliased(int x) { return x; }
int other_name(int) __attribute__((alias("aliased")));
extern int other_variable __attribute__((alias("unseen")));
static int (*pick(void))(int) { return aliased; }
int indirect(int) __attribute__((ifunc("pick")));
__asm__(".globl whence_tour_symbol\nwhence_tour_symbol:\n");

__attribute__((constructor)) static void early(void) { common = 1; }
__attribute__((destructor(200))) static void late(void) { common = 2; }

int arithmetic(int a, int b, unsigned u) {
  int r = a + b * 3 - a / (b | 1) % 7;
  u = u / 3 % 5 + (u >> 2) + (unsigned)(a >> 1) + (u << 3);
  r ^= ~a & b | (int)u;
  return a < b && u > 3 || !r ? -r : r;
}
double floating(double x, float y, int i, unsigned u) {
  double r = -x + y * 2.0f - x / y;
  r += (double)i + (float)u + (int)x + (unsigned)y;
  if (x < y || x >= r || x != x) r = __builtin_fmod(r, 3.0);
  return r > 0 ? r : (float)x;
}
long double extended(long double a, double b) { return a * b + 1.25L - (long double)3; }
__int128 huge(__int128 a, unsigned __int128 b) { return a * (__int128)b + wide / 3; }
_Complex double rotate(_Complex double z) { return z * I + conj(z); }
_Float16 halves(_Float16 a) { return a * (_Float16)1.5; }
__bf16 brains(__bf16 a) { return a; }
int chars(char c, signed char s, unsigned char u, short h, flags_t f) { return c + s + u + h + f; }
int switching(int x, long long y) {
  switch (x) {
    case 1: return 10;
    case -5: x++;
    case 100 ... 103: x--; break;
    default: switch (y) { case 0x100000000LL: return 1; case -1: return 2; }
  }
  switch (x) { default: return x; }
}
int computed(int n) {
  static void *const table[] = {&&zero, &&one, &&two};
  static const int offsets[] = {&&zero - &&zero, &&one - &&zero};
  int sum = offsets[1];
  goto *table[n % 3];
zero: sum += 1;
one: sum += 2;
two: return sum;
}
int loops(int n) {
  int s = 0;
  for (int i = 0; i < n; i++) { if (i == 3) continue; s += zeroed[i]; }
  while (n--) { if (s > 9) break; }
  do { s++; } while (s < 0);
  return s;
}
int summing(int n, ...) {
  va_list ap, again;
  va_start(ap, n);
  va_copy(again, ap);
  int s = va_arg(ap, int);
  double d = va_arg(ap, double);
  struct large *l = va_arg(ap, struct large *);
  struct small by_value = va_arg(ap, struct small);
  va_end(ap);
  va_end(again);
  return s + (int)d + (l != 0) + by_value.i;
}
struct large by_value(struct large l, struct small s, union either e) {
  l.inner[s.i].s = e.bytes[3];
  return l;
}
struct small returns_small(struct small s) { return s; }
int passes(void) {
  struct small s = returns_small((struct small){1, 2, 3});
  struct large l = by_value(big, s, which);
  return summing(3, 1, 2.0, &l, s) + l.inner[2].i;
}
int bitfields(struct bits *b) { b->a = 5; b->c--; b->d += b->b; return (int)b->d; }
int packed_access(struct tight *t) { return t->i + (int)t->l; }
int linked(struct node *n) { int s = 0; for (; n; n = n->next) s += n->call(n, s); return s; }
static jmp_buf env;
int jumping(int x) { volatile int y = 0; if (setjmp(env)) return y; y = x; longjmp(env, 1); }
int atomics(_Atomic int *p, _Atomic(struct small) *q, int *plain, atomic_bool *flag) {
  int expected = 1;
  int r = (*p)++ + atomic_fetch_and(p, 3) + atomic_exchange_explicit(p, 4, memory_order_relaxed);
  r += atomic_compare_exchange_strong(p, &expected, 2);
  r += atomic_compare_exchange_weak_explicit(p, &expected, 2, memory_order_acq_rel, memory_order_acquire);
  atomic_thread_fence(memory_order_seq_cst);
  atomic_signal_fence(memory_order_acquire);
  atomic_store_explicit(p, r, memory_order_release);
  struct small s = *q;
  r += __sync_fetch_and_add(plain, 1) + __atomic_load_n(plain, __ATOMIC_ACQUIRE) + *flag;
  r += __sync_val_compare_and_swap(plain, 1, 2) + __atomic_fetch_max(plain, 3, __ATOMIC_RELAXED);
  return r + s.i;
}
v4 vectors(v4 a, v4i b, int i) {
  v4 r = a * four + (v4){1, 1, 1, 1};
  r[i] = a[2];
  v4i mask = a < r;
  b = (b ^ mask) >> 2;
  return r + __builtin_convertvector(b + same, v4) + __builtin_shufflevector(a, r, 0, 5, 2, 7);
}
unsigned assembly(unsigned x) {
  unsigned lo;
  __asm__ volatile("" : "=r"(lo) : "0"(x) : "memory");
  __asm__("# \"quoted\" %0" : "+r"(x));
  __asm__ goto("" : : "r"(x) : : out);
  return lo;
out:
  return x;
}
int vla(int n, int m) {
  int grid[n][m];
  char *extra = __builtin_alloca(n);
  memset(grid, 0, sizeof grid);
  extra[0] = 1;
  return grid[n - 1][m - 1] + (int)sizeof grid + extra[0];
}
_Noreturn void leaves(int status) { exit(status); }
int thread_locals(void) { per_thread++; return per_thread + per_thread_struct.i; }
int builtins(unsigned x, int a, int b, char *p) {
  int r;
  if (__builtin_sadd_overflow(a, b, &r) || __builtin_umul_overflow(x, x, &x)) __builtin_unreachable();
  if (__builtin_expect(a == 3, 0)) __builtin_trap();
  __builtin_prefetch(p);
  __builtin_assume(a > 0);
  r += __builtin_popcount(x) + __builtin_clz(x) + __builtin_bswap32(x) + __builtin_abs(b);
  r += (int)__builtin_object_size(p, 0) + __builtin_constant_p(a) + (int)__builtin_return_address(0);
  return r + (int)__builtin_ctzll(x) + (int)__builtin_rotateleft32(x, 3);
}
volatile int noisy;
int volatiles(void) { noisy = noisy + 1; return noisy; }
static inline __attribute__((always_inline)) int inlined(int x) { return x + 1; }
__attribute__((noinline, cold, pure)) int attributed(const char *restrict a, int b[static 4]) {
  return *a + b[3] + inlined(4);
}
long pointers(char *p, long n, void *q) {
  int (*function)(int) = (int (*)(int))q;
  char **pp = &p;
  return (long)(p + n) - (long)*pp + (p - (char *)q) + function(3) + (long)(int *)n[pp];
}
int unnamed_parameters(int, int x) { return x; }
_BitInt(77) odd(_BitInt(77) x) { return x + 1; }
int ternaries(int a) { return (a ?: 3) + (a > 2 ? 1 : a < 0 ? 2 : 3); }
int main(int argc, char **argv) {
  printf("%s %d %Lf\n", argv[0], arithmetic(argc, 2, 3u), extended(1.0L, 2));
  if (weakly) elsewhere = weakly(argc);
  return (hidden != 0) + (int)distance + *middle + (int)numbers[argc] + names[0][0]
    + (int)longs[0] + (int)floats[0] + packed_value.c + placed + overridable;
}
