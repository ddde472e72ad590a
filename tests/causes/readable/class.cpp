// flags: -lm
// A virtual call, an enum class, a bool, and a bad sign.
#include <cmath>
#include <iostream>
#include <memory>
enum class kind { circle, square };
struct shape {
    virtual ~shape() = default;
    virtual double area() const = 0;
    kind what = kind::circle;
    bool filled = false;
};
struct circle : shape {
    double r;
    explicit circle(double r) : r(r) {}
    double area() const override { return M_PI * std::pow(r, 3); }  //- double area() const override { return M_PI * std::pow(r, 2); }
};
struct square : shape {
    double side;
    explicit square(double s) : side(s) { what = kind::square; filled = true; }
    double area() const override { return side * side; }
};
int main()
{
    std::unique_ptr<shape> a = std::make_unique<circle>(2), b = std::make_unique<square>(4);
    double sum = (a->filled || a->what == kind::circle ? a->area() : 0.0) + b->area();
    std::cout << sum << std::endl;
    if (sum > 30.0)
        return 1;
    return 0;
}
//? why: `sum > 30.0` was true
//? why: std::pow(r, 3) = 8.0
//? why: a->area() = 25.132741228718345
//! why: code without a line
//! why: operator->
