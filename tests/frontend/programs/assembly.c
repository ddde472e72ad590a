// Inline assembly: outputs, inputs, memory, tied operands, several results, asm goto, none;
// assembly outside of functions, a naked function, memory of another segment.
#include <stdio.h>

#if defined(__x86_64__)
asm(".pushsection .rodata\nwhence_test_constant: .long 31\n.popsection");
extern const int whence_test_constant __attribute__((visibility("hidden")));
__attribute__((naked)) static int naked(int x) { asm("leal 5(%rdi), %eax; ret"); }
static void *own_thread(void) { return *(void *volatile __seg_fs *)0; }
#endif

int main(void) {
    int a = 20, b = 22, sum = a, memory[2] = {1, 2};
    asm volatile("" ::: "memory");
    asm("" : "+r"(a), "+m"(b));
#if defined(__x86_64__)
    asm("addl %1, %0" : "+r"(sum) : "r"(b) : "cc");
    asm volatile("movl $7, %0" : "=m"(memory[0]));
    asm volatile("movl $9, (%0)" ::"r"(&memory[1]) : "memory");
    unsigned low, high;
    asm("mull %3" : "=a"(low), "=d"(high) : "0"(0x10000u), "r"(0x30000u) : "cc");
    unsigned char carry;
    asm("cmpl %2, %1" : "=@ccb"(carry) : "r"(a), "r"(b));
    asm goto("testl %0, %0; jz %l[zero]" ::"r"(a) : "cc" : zero);
    asm goto("cmpl $22, %0; je %l[same]" ::"r"(b) : "cc" : same, zero);
    puts("fell through");
    return 2;
zero:
    return 3;
same:
    printf("%d %d %d %u %u %d\n", sum, memory[0], memory[1], low, high, carry);
    printf("%d %d %d\n", whence_test_constant, naked(a), own_thread() == __builtin_thread_pointer());
#else
    sum += b, memory[0] = 7, memory[1] = 9;
    printf("%d %d %d %u %u %d\n", sum, memory[0], memory[1], 0u, 3u, 1);
#endif
    return 0;
}
