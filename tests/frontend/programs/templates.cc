// Templates and lambdas: deduction, specialisation, packs, folds, captures, std::function, ranges.
// flags: -std=c++20
#include <algorithm>
#include <array>
#include <concepts>
#include <cstdio>
#include <functional>
#include <numeric>
#include <optional>
#include <tuple>
#include <variant>
#include <vector>

template <typename T> T biggest(T a, T b) { return a < b ? b : a; }
template <> const char *biggest(const char *a, const char *b) { return a[0] < b[0] ? b : a; }
template <typename... T> auto total(T... values) { return (values + ... + 0); }
template <unsigned N> struct Factorial { static constexpr unsigned long value = N * Factorial<N - 1>::value; };
template <> struct Factorial<0> { static constexpr unsigned long value = 1; };
template <typename T> concept Number = std::integral<T> || std::floating_point<T>;
template <Number T, int Size> class Ring {
    std::array<T, Size> items{};
    int at = 0;
  public:
    void push(T item) { items[at++ % Size] = item; }
    T sum() const { return std::accumulate(items.begin(), items.end(), T{}); }
};
constexpr int fibonacci(int n) { if (n < 2) return n; return fibonacci(n - 1) + fibonacci(n - 2); }
template <typename... F> struct Overloaded : F... { using F::operator()...; };
template <typename... F> Overloaded(F...) -> Overloaded<F...>;

static std::function<int(int)> adder(int by) { return [by](int x) { return x + by; }; }
static std::optional<int> half(int n) { if (n % 2) return std::nullopt; return n / 2; }

int main() {
    std::printf("%d %g %s %d\n", biggest(3, 4), biggest(2.5, 1.5), biggest("ab", "cd"), total(1, 2, 3, 4));
    std::printf("%lu %d %zu\n", Factorial<10>::value, fibonacci(12), sizeof(Ring<char, 3>) > 3);
    Ring<int, 3> ring;
    for (int i = 1; i < 6; i++) ring.push(i);
    int base = 10, calls = 0;
    auto by_reference = [&calls, base](int x) mutable { calls++; return base += x; };
    by_reference(1), by_reference(2);
    auto generic = [](auto a, auto b) { return a * b; };
    std::printf("%d %d %d %g %d\n", ring.sum(), calls, base, generic(2, 1.5), adder(5)(6));
    std::function<int(int)> recursive = [&](int n) { return n < 2 ? 1 : n * recursive(n - 1); };
    int (*plain)(int) = [](int x) { return x * x; };
    std::printf("%d %d\n", recursive(6), plain(9));
    std::vector<int> v(10);
    std::iota(v.begin(), v.end(), 1);
    std::sort(v.begin(), v.end(), [](int a, int b) { return a % 3 != b % 3 ? a % 3 < b % 3 : a > b; });
    std::printf("%d %d %d\n", v.front(), v.back(), (int)std::count_if(v.begin(), v.end(), [](int x) { return x > 4; }));
    std::variant<int, double, const char *> any = 2.5;
    for (int round = 0; round < 3; round++) {
        std::printf("%d ", std::visit(Overloaded{[](int i) { return i; }, [](double d) { return (int)(d * 4); }, [](const char *s) { return (int)s[0]; }}, any));
        if (round == 0) any = 3; else any = "text";
    }
    auto [a, b, c] = std::tuple(1, 2.5, 'c');
    std::printf("%d %g %c %d %d\n", a, b, c, half(8).value(), half(7).value_or(-1));
    return 0;
}
