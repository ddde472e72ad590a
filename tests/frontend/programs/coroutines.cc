// Coroutines: a generator that is suspended and resumed, one destroyed early, one that throws.
// flags: -std=c++20
#include <coroutine>
#include <cstdio>
#include <exception>

struct Generator {
    struct promise_type {
        int value = 0;
        std::exception_ptr failed;
        Generator get_return_object() { return Generator{std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) { value = v; return {}; }
        void return_void() {}
        void unhandled_exception() { failed = std::current_exception(); }
    };
    std::coroutine_handle<promise_type> handle;
    ~Generator() { handle.destroy(); }
    bool next() {
        handle.resume();
        if (handle.promise().failed) std::rethrow_exception(handle.promise().failed);
        return !handle.done();
    }
    int value() const { return handle.promise().value; }
};
struct Loud { ~Loud() { std::printf("destroyed\n"); } };

static Generator squares(int n) {
    Loud loud;
    for (int i = 0; i < n; i++) {
        if (i == 4) throw i;
        co_yield i * i;
    }
}

int main() {
    Generator some = squares(3), few = squares(10), bad = squares(10);
    while (some.next()) std::printf("%d ", some.value());
    few.next(), few.next();
    std::printf("%d\n", few.value());
    try { while (bad.next()) std::printf("%d ", bad.value()); } catch (int n) { std::printf("threw %d\n", n); }
    return 0;
}
