// Bit-fields, unions, and structs by value: in registers, in memory, with floats, returned.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct bits {
    unsigned low : 3;
    int middle : 7;
    unsigned : 0;
    unsigned long wide : 40;
    _Bool flag : 1;
    signed char tiny : 2;
} __attribute__((aligned(8)));
struct __attribute__((packed)) squeezed {
    char tag;
    int value;
    short pair[2];
    unsigned odd : 13;
    unsigned rest : 19;
};
union number {
    int32_t whole;
    float single;
    uint8_t bytes[4];
    struct {
        uint16_t low, high;
    };
};
struct one { char c; };
struct two { int a; int b; };
struct mixed { float f; int i; double d; };
struct floats { float x, y; };
struct floats3 { float x, y, z; };
struct pair { double x, y; };
struct extended { long double v; };
struct large { long v[5]; };
struct nested { struct two t; union number n; struct { char a[3]; } s; };
struct none {};
struct tag13 { char c[13]; };

static struct one f_one(struct one v) { return (struct one){v.c + 1}; }
static struct two f_two(struct two v) { return (struct two){v.b, v.a}; }
static struct mixed f_mixed(struct mixed v) { v.d += v.f * v.i; return v; }
static struct floats f_floats(struct floats v) { return (struct floats){v.y, v.x + 1}; }
static struct floats3 f_floats3(struct floats3 v) { v.z *= 2; return v; }
static struct pair f_pair(struct pair v, struct pair w) { return (struct pair){v.x + w.y, v.y - w.x}; }
static struct extended f_extended(struct extended v) { v.v /= 4; return v; }
static struct large f_large(struct large v, struct large w) { v.v[4] += w.v[0]; return v; }
static struct nested f_nested(struct nested v) { v.t.a++, v.n.whole ^= 1, v.s.a[1] = 'z'; return v; }
static struct none f_none(struct none v, int *seen) { ++*seen; return v; }
static struct tag13 f_tag13(struct tag13 v) { v.c[12] ^= v.c[0]; return v; }
static union number f_union(union number n) { n.low += 3; return n; }
// Six integer registers are taken before `late`, so it goes by memory although it is small.
static int f_many(int a, int b, int c, int d, int e, struct two late, struct mixed m, struct large l) {
    return a + b + c + d + e + late.a * late.b + (int)m.d + (int)l.v[3];
}

int main(void) {
    struct bits b = {5, -60, .wide = 1ul << 39, 1, -2};
    b.low += 9, b.middle *= 2, b.wide |= 12345, b.flag = !b.flag, b.tiny++;
    struct bits copy = b, *at = &copy;
    at->middle--, at->low ^= 3;
    printf("%u %d %lu %d %d %u %d\n", b.low, b.middle, (unsigned long)b.wide, b.flag, b.tiny,
           copy.low, copy.middle);
    struct squeezed s = {1, 70000, {2, -3}, 8000, 500000};
    s.value += s.pair[1], s.odd += s.rest & 7;
    printf("%zu %d %d %u %u\n", sizeof s, s.tag, s.value, s.odd, s.rest);
    union number n = {.single = 1.0f};
    printf("%x %d %x\n", (unsigned)n.whole, n.bytes[3], n.high);
    n.high += 0x80;
    n = f_union(n);
    printf("%x\n", (unsigned)n.whole);
    int seen = 0;
    f_none((struct none){}, &seen);
    struct two t = f_two(f_two((struct two){1, 2}));
    struct mixed m = f_mixed((struct mixed){1.5f, 4, 0.25});
    struct floats f = f_floats((struct floats){1, 2});
    struct floats3 g = f_floats3((struct floats3){1, 2, 3});
    struct pair p = f_pair((struct pair){1, 2}, (struct pair){3, 4});
    struct extended x = f_extended((struct extended){10});
    struct large l = f_large((struct large){{1, 2, 3, 4, 5}}, (struct large){{100}});
    struct nested k = f_nested((struct nested){{1, 2}, {.whole = 8}, {"ab"}});
    struct tag13 g13 = f_tag13((struct tag13){"abcdefghijkl"});
    printf("%d %c %d %d %g %g %g\n", seen, f_one((struct one){'a'}).c, t.a, t.b, m.d, f.x, f.y);
    printf("%g %g %g %Lg %ld %d %d %s %d\n", g.z, p.x, p.y, x.v, l.v[4], k.t.a, k.n.whole, k.s.a,
           g13.c[12]);
    printf("%d\n", f_many(1, 2, 3, 4, 5, t, m, l));
    struct large array[2] = {l, {{0}}}, *to = &array[1];
    *to = array[0];
    array[0] = f_large(*to, array[0]);
    printf("%ld %ld %d\n", array[0].v[4], to->v[2], memcmp(to, &l, sizeof l));
    struct two (*through)(struct two) = f_two;
    printf("%d\n", through(t).a + (*through)((struct two){.b = 40}).a);
    return 0;
}
