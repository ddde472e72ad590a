/*
 * bigint: a postfix calculator for whole numbers of any size.
 *
 *     usage: bigint TOKEN...
 *
 *     123 -45     numbers are pushed
 *     + - *       sum, difference, product of the two on top
 *     / %         quotient and remainder, rounded towards zero
 *     ^           power, with a small exponent
 *     gcd cmp     greatest common divisor; -1, 0 or 1
 *     fact        factorial of the small number on top
 *     dup swap    copy the top; exchange the two on top
 *     p           print the top and drop it
 *
 * A number is a sign and a magnitude: decimal limbs, the lowest first, and
 * never a zero limb on top.  Zero has no limbs and is not negative.
 */
#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BASE 10000
#define BASE_DIGITS 4
#define MAX_LIMBS 64
#define MAX_STACK 16

struct number {
    bool negative;
    int count;
    uint32_t limbs[MAX_LIMBS];
};

static void fail(const char *message, const char *about)
{
    fprintf(stderr, "bigint: %s%s\n", message, about);
    exit(1);
}

static bool is_zero(const struct number *a)
{
    return a->count == 0;
}

static void check(const struct number *a)
{
    assert(a->count >= 0 && a->count <= MAX_LIMBS);
    for (int i = 0; i < a->count; i++)
        assert(a->limbs[i] < BASE);
    assert(a->count == 0 || a->limbs[a->count - 1] != 0);
    assert(!(is_zero(a) && a->negative));
}

/* Drops the zero limbs on top. */
static void trim(struct number *a)
{
    while (a->count > 0 && a->limbs[a->count - 1] == 0)
        a->count--;
    if (a->count == 0)
        a->negative = false;
}

static void append(struct number *a, uint32_t limb)
{
    if (a->count == MAX_LIMBS)
        fail("number too large", "");
    a->limbs[a->count++] = limb;
}

static struct number from_small(long value)
{
    struct number a = {.negative = value < 0, .count = 0};
    unsigned long rest = value < 0 ? -(unsigned long)value : (unsigned long)value;
    for (; rest > 0; rest /= BASE)
        append(&a, (uint32_t)(rest % BASE));
    return a;
}

static long to_small(const struct number *a)
{
    long value = 0;
    if (a->count > 2)
        fail("number too large for this operation", "");
    for (int i = a->count - 1; i >= 0; i--)
        value = value * BASE + (long)a->limbs[i];
    return a->negative ? -value : value;
}

/* ---- magnitudes ------------------------------------------------------- */

static int compare_magnitudes(const struct number *a, const struct number *b)
{
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (int i = a->count - 1; i >= 0; i--) {
        if (a->limbs[i] != b->limbs[i])
            return a->limbs[i] < b->limbs[i] ? -1 : 1;
    }
    return 0;
}

static uint32_t limb_at(const struct number *a, int i)
{
    return i < a->count ? a->limbs[i] : 0;
}

static struct number add_magnitudes(const struct number *a, const struct number *b)
{
    struct number sum = {.count = 0};
    int count = a->count > b->count ? a->count : b->count;
    uint32_t carry = 0;
    for (int i = 0; i < count; i++) {
        uint32_t limb = limb_at(a, i) + limb_at(b, i) + carry;
        carry = limb >= BASE;
        append(&sum, carry ? limb - BASE : limb);
    }
    if (carry > 0)
        append(&sum, carry);
    return sum;
}

/* |a| - |b|, which must not be negative. */
static struct number subtract_magnitudes(const struct number *a, const struct number *b)
{
    struct number difference = {.count = 0};
    uint32_t borrow = 0;
    assert(compare_magnitudes(a, b) >= 0);
    for (int i = 0; i < a->count; i++) {
        uint32_t take = limb_at(b, i) + borrow;
        borrow = a->limbs[i] < take;
        append(&difference, a->limbs[i] + (borrow ? BASE : 0) - take);
    }
    assert(borrow == 0);
    trim(&difference);
    return difference;
}

/* |a| * factor, for a factor below BASE. */
static struct number multiply_by_limb(const struct number *a, uint32_t factor)
{
    struct number product = {.count = 0};
    uint32_t carry = 0;
    for (int i = 0; i < a->count; i++) {
        uint32_t limb = a->limbs[i] * factor + carry;
        append(&product, limb % BASE);
        carry = limb / BASE;
    }
    if (carry > 0)
        append(&product, carry);
    trim(&product);
    return product;
}

/* a = |a| * BASE + limb */
static void shift_in(struct number *a, uint32_t limb)
{
    append(a, 0);
    for (int i = a->count - 1; i > 0; i--)
        a->limbs[i] = a->limbs[i - 1];
    a->limbs[0] = limb;
    trim(a);
}

/* The largest digit q below BASE with |b| * q <= |a|. */
static uint32_t quotient_digit(const struct number *a, const struct number *b)
{
    uint32_t low = 0, high = BASE - 1;
    while (low < high) {
        uint32_t middle = (low + high + 1) / 2;
        struct number product = multiply_by_limb(b, middle);
        if (compare_magnitudes(&product, a) <= 0)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* ---- numbers with a sign ---------------------------------------------- */

static struct number negate(struct number a)
{
    a.negative = !a.negative && !is_zero(&a);
    return a;
}

static int compare(const struct number *a, const struct number *b)
{
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    int order = compare_magnitudes(a, b);
    return a->negative ? -order : order;
}

static struct number add(const struct number *a, const struct number *b)
{
    struct number sum;
    if (a->negative == b->negative) {
        sum = add_magnitudes(a, b);
        sum.negative = a->negative;
    } else if (compare_magnitudes(a, b) >= 0) {
        sum = subtract_magnitudes(a, b);
        sum.negative = a->negative;
    } else {
        sum = subtract_magnitudes(b, a);
        sum.negative = b->negative;
    }
    trim(&sum);
    return sum;
}

static struct number multiply(const struct number *a, const struct number *b)
{
    struct number product = {.count = 0};
    if (is_zero(a) || is_zero(b))
        return product;
    for (int i = 0; i < a->count + b->count; i++)
        append(&product, 0);
    for (int i = 0; i < a->count; i++) {
        uint32_t carry = 0;
        for (int j = 0; j < b->count; j++) {
            uint32_t limb = product.limbs[i + j] + a->limbs[i] * b->limbs[j] + carry;
            product.limbs[i + j] = limb % BASE;
            carry = limb / BASE;
        }
        product.limbs[i + b->count] = carry;
    }
    product.negative = a->negative != b->negative;
    trim(&product);
    return product;
}

/* Long division, a limb at a time; the remainder has the sign of `a`. */
static void divide(const struct number *a, const struct number *b, struct number *quotient,
                   struct number *remainder)
{
    struct number rest = {.count = 0};
    if (is_zero(b))
        fail("division by zero", "");
    *quotient = (struct number){.count = a->count};
    for (int i = a->count - 1; i >= 0; i--) {
        shift_in(&rest, a->limbs[i]);
        uint32_t digit = quotient_digit(&rest, b);
        struct number product = multiply_by_limb(b, digit);
        rest = subtract_magnitudes(&rest, &product);
        quotient->limbs[i] = digit;
    }
    quotient->negative = a->negative != b->negative;
    trim(quotient);
    rest.negative = a->negative;
    trim(&rest);
    *remainder = rest;

    struct number whole = multiply(quotient, b);
    whole = add(&whole, remainder);
    assert(compare(&whole, a) == 0);
    assert(compare_magnitudes(remainder, b) < 0);
}

static struct number power(struct number base, long exponent)
{
    struct number result = from_small(1);
    if (exponent < 0)
        fail("negative exponent", "");
    for (;;) {
        if (exponent % 2 != 0)
            result = multiply(&result, &base);
        exponent /= 2;
        if (exponent == 0)
            return result;
        base = multiply(&base, &base);
    }
}

static struct number factorial(long n)
{
    struct number result = from_small(1);
    if (n < 0 || n >= BASE)
        fail("factorial of what is not a small number", "");
    for (long i = 2; i <= n; i++)
        result = multiply_by_limb(&result, (uint32_t)i);
    return result;
}

static struct number greatest_common_divisor(struct number a, struct number b)
{
    struct number quotient, remainder;
    while (!is_zero(&b)) {
        divide(&a, &b, &quotient, &remainder);
        a = b;
        b = remainder;
    }
    a.negative = false;
    return a;
}

/* ---- text ------------------------------------------------------------- */

static bool parse(const char *text, struct number *a)
{
    *a = (struct number){.negative = *text == '-'};
    if (*text == '-')
        text++;
    int length = (int)strlen(text);
    if (length == 0)
        return false;
    for (int end = length; end > 0; end -= BASE_DIGITS) {
        uint32_t limb = 0;
        for (int i = end > BASE_DIGITS ? end - BASE_DIGITS : 0; i < end; i++) {
            if (!isdigit((unsigned char)text[i]))
                return false;
            limb = limb * 10 + (uint32_t)(text[i] - '0');
        }
        append(a, limb);
    }
    trim(a);
    return true;
}

static void print(const struct number *a)
{
    if (is_zero(a)) {
        printf("0\n");
        return;
    }
    printf("%s%u", a->negative ? "-" : "", a->limbs[a->count - 1]);
    for (int i = a->count - 2; i >= 0; i--)
        printf("%0*u", BASE_DIGITS, a->limbs[i]);
    putchar('\n');
}

/* ---- the calculator --------------------------------------------------- */

static struct number stack[MAX_STACK];
static int stack_count;

static void push(struct number a)
{
    check(&a);
    if (stack_count == MAX_STACK)
        fail("stack full", "");
    stack[stack_count++] = a;
}

static struct number pop(void)
{
    if (stack_count == 0)
        fail("stack empty", "");
    return stack[--stack_count];
}

static void run_divide(bool want_quotient)
{
    struct number quotient, remainder;
    struct number b = pop(), a = pop();
    divide(&a, &b, &quotient, &remainder);
    push(want_quotient ? quotient : remainder);
}

static void run_binary(const char *name)
{
    struct number b = pop(), a = pop();
    if (strcmp(name, "+") == 0) {
        push(add(&a, &b));
    } else if (strcmp(name, "-") == 0) {
        b = negate(b);
        push(add(&a, &b));
    } else if (strcmp(name, "*") == 0) {
        push(multiply(&a, &b));
    } else if (strcmp(name, "^") == 0) {
        push(power(a, to_small(&b)));
    } else if (strcmp(name, "gcd") == 0) {
        push(greatest_common_divisor(a, b));
    } else if (strcmp(name, "cmp") == 0) {
        push(from_small(compare(&a, &b)));
    } else {
        fail("unknown token: ", name);
    }
}

static void run_token(const char *token)
{
    struct number a;
    if (parse(token, &a)) {
        push(a);
    } else if (strcmp(token, "p") == 0) {
        a = pop();
        print(&a);
    } else if (strcmp(token, "dup") == 0) {
        a = pop();
        push(a);
        push(a);
    } else if (strcmp(token, "swap") == 0) {
        struct number b = pop();
        a = pop();
        push(b);
        push(a);
    } else if (strcmp(token, "fact") == 0) {
        a = pop();
        push(factorial(to_small(&a)));
    } else if (strcmp(token, "/") == 0 || strcmp(token, "%") == 0) {
        run_divide(*token == '/');
    } else {
        run_binary(token);
    }
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        run_token(argv[i]);
    if (stack_count > 0)
        printf("%d left\n", stack_count);
    return 0;
}
