// Exceptions: through frames, destructors while unwinding, rethrow, catch all, nested, by value and
// reference, of classes, exception_ptr, function try blocks, noexcept queries.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>

struct Guard {
    const char *name;
    explicit Guard(const char *n) : name(n) { std::printf("enter %s\n", name); }
    ~Guard() { std::printf("leave %s%s\n", name, std::uncaught_exceptions() ? " unwinding" : ""); }
};
struct Base { virtual ~Base() = default; virtual int code() const { return 1; } };
struct Derived : Base { int n; explicit Derived(int n) : n(n) {} int code() const override { return n; } };

static int depth(int n) {
    Guard guard("depth");
    if (n == 0) throw Derived(7);
    return depth(n - 1) + 1;
}
static void pick(int what) {
    Guard outer("outer");
    switch (what) {
    case 0: throw 42;
    case 1: throw 2.5;
    case 2: throw "text";
    case 3: throw std::runtime_error("runtime");
    case 4: throw Derived(4);
    case 5: throw std::string("string");
    case 6: { std::string s; (void)s.at(3); }
    }
}
static int tried(int what) {
    try {
        Guard inner("inner");
        pick(what);
        return 0;
    } catch (int n) { return n;
    } catch (const char *text) { return text[0];
    } catch (const Base &b) { return b.code() * 100;
    } catch (const std::out_of_range &) { return -6;
    } catch (const std::exception &e) { std::printf("%s\n", e.what()); return -1;
    } catch (...) {
        try { throw; } catch (double d) { return (int)(d * 10); } catch (...) { return -2; }
    }
}
struct Member {
    Guard g;
    Member(int n) try : g("member") { if (n) throw n; } catch (int) { std::printf("constructor failed\n"); }
};
static void rethrows() {
    try { depth(2); } catch (Base &b) {
        std::printf("first %d\n", b.code());
        throw;
    }
}
static int in_a_loop() {
    int caught = 0;
    for (int i = 0; i < 4; i++) {
        try {
            if (i % 2) throw i;
            continue;
        } catch (int n) { caught += n; if (n == 3) break; }
    }
    return caught;
}
static void quiet() noexcept { try { throw 1; } catch (...) {} }

int main() {
    for (int what = 0; what <= 7; what++) std::printf("= %d\n", tried(what));
    try { rethrows(); } catch (const Derived &d) { std::printf("second %d\n", d.n); }
    try { Member m(3); } catch (int n) { std::printf("member threw %d\n", n); }
    std::printf("%d\n", in_a_loop());
    std::exception_ptr kept;
    try { throw std::logic_error("kept"); } catch (...) { kept = std::current_exception(); }
    try { std::rethrow_exception(kept); } catch (const std::logic_error &e) { std::printf("%s\n", e.what()); }
    try {
        try { throw 1; } catch (int) { throw std::runtime_error("replaced"); }
    } catch (const std::exception &e) { std::printf("%s\n", e.what()); }
    quiet();
    std::printf("%d\n", noexcept(quiet()));
    return 0;
}
