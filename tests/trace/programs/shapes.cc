#include <cstdio>

struct Shape {
    virtual int area(int k) const = 0;
    virtual ~Shape() {}
};
struct Square : Shape {
    int side;
    explicit Square(int s) : side(s) {}
    int area(int k) const override {
        return side * side + k;
    }
};
static void bump(int &x) {
    x += 5;
}
static int risky(int n) {
    if (n > 2)
        throw n + 1;
    return n;
}
int main(int argc, char **) {
    Square square(argc);
    Shape &shape = square;
    int value = shape.area(1);
    bump(value);
    int caught = 0;
    try {
        caught = risky(value);
    } catch (int e) {
        caught = e * 10;
    }
    std::printf("%d %d\n", value, caught);
    return 0;
}
