// Classes: virtual calls, multiple and virtual inheritance, casts at run time, type names, member
// pointers, operators, placement new, copies and moves, friends, references, abstract classes.
// flags: -std=c++20
#include <compare>
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <typeinfo>
#include <utility>

struct Shape {
    virtual ~Shape() { std::printf("~Shape\n"); }
    virtual double area() const = 0;
    virtual const char *name() const { return "shape"; }
};
struct Named { char label[8] = "label"; virtual int length() { return (int)std::strlen(label); } virtual ~Named() {} };
struct Square : Shape, Named {
    double side;
    explicit Square(double s) : side(s) {}
    double area() const override { return side * side; }
    int length() override { return Named::length() + 100; }
    ~Square() override { std::printf("~Square\n"); }
};
struct Top { int t = 1; virtual int who() { return t; } };
struct Left : virtual Top { int l = 2; int who() override { return l * 10 + t; } };
struct Right : virtual Top { int r = 3; };
struct Bottom : Left, Right { int b = 4; int who() override { return Left::who() + r * 100; } };

class Vector {
    int x, y;
  public:
    constexpr Vector(int x = 0, int y = 0) : x(x), y(y) {}
    Vector operator+(const Vector &o) const { return {x + o.x, y + o.y}; }
    Vector &operator+=(const Vector &o) { return *this = *this + o; }
    Vector operator-() const { return {-x, -y}; }
    Vector &operator++() { ++x; return *this; }
    Vector operator++(int) { Vector old = *this; ++*this; return old; }
    int operator[](int i) const { return i ? y : x; }
    int operator()(int k) const { return k * (x + y); }
    explicit operator bool() const { return x || y; }
    auto operator<=>(const Vector &) const = default;
    friend Vector operator*(int k, const Vector &v) { return {k * v.x, k * v.y}; }
    int sum() const { return x + y; }
    int product() const { return x * y; }
    int field = 8;
};
struct Tracked {
    static int alive;
    int id;
    explicit Tracked(int id) : id(id) { alive++; }
    Tracked(const Tracked &o) : id(o.id + 100) { alive++; }
    Tracked(Tracked &&o) noexcept : id(std::exchange(o.id, -1)) { alive++; }
    Tracked &operator=(Tracked o) { std::swap(id, o.id); return *this; }
    ~Tracked() { alive--; }
};
int Tracked::alive;
static Tracked made(int n) { Tracked t(n); if (n > 5) return Tracked(n * 2); return t; }
static int by_reference(int &a, const int &b, int &&c) { a += b; return a * c; }
struct Countdown {
    static void *operator new(std::size_t n) { std::printf("new %d\n", n > 0); return ::operator new(n); }
    static void operator delete(void *p) { std::printf("delete\n"); ::operator delete(p); }
    int n = 3;
};

int main() {
    std::unique_ptr<Shape> shape = std::make_unique<Square>(1.5);
    std::printf("%g %s\n", shape->area(), shape->name());
    if (auto *named = dynamic_cast<Named *>(shape.get())) std::printf("%d %s\n", named->length(), named->label);
    auto plain = std::make_unique<Top>();
    std::printf("%d\n", dynamic_cast<Bottom *>(plain.get()) == nullptr);
    try { (void)dynamic_cast<Bottom &>(*plain); } catch (const std::bad_cast &) { std::printf("bad cast\n"); }
    std::printf("%d %s\n", typeid(*shape) == typeid(Square), typeid(int).name());
    Bottom bottom;
    Top *top = &bottom;
    Right *right = &bottom;
    std::printf("%d %d %d\n", top->who(), right->who(), static_cast<Bottom *>(right)->b);
    int (Top::*virtual_member)() = &Top::who;
    int (Vector::*member)() const = &Vector::sum;
    int Vector::*field = &Vector::field;
    Vector v(1, 2), w = -v++;
    v += 3 * w;
    member = v ? &Vector::product : member;
    std::printf("%d %d %d %d\n", (top->*virtual_member)(), (v.*member)(), v.*field, (&v)->*field);
    std::printf("%d %d %d %d %d\n", v[0], v[1], v(2), v < w, v == v);
    {
        Tracked a = made(1), b = made(9), c = a, d = std::move(b);
        a = c, c = std::move(d);
        std::printf("%d %d %d %d alive %d\n", a.id, b.id, c.id, d.id, Tracked::alive);
        alignas(Tracked) unsigned char room[sizeof(Tracked)];
        Tracked *placed = new (room) Tracked(55);
        std::printf("%d\n", placed->id);
        placed->~Tracked();
        Tracked *several = new Tracked[3]{Tracked(1), Tracked(2), Tracked(3)};
        std::printf("%d %d\n", several[2].id, Tracked::alive);
        delete[] several;
    }
    int n = 3;
    std::printf("%d %d %d\n", by_reference(n, 4, 5), n, Tracked::alive);
    delete new Countdown;
    return 0;
}
