// Objects with static and thread storage: order of construction and destruction, guards of local
// statics, a constructor that fails once, thread_local objects.
// flags: -pthread -std=c++20
#include <cstdio>
#include <thread>

static int next = 1;
struct Counted {
    int number;
    const char *name;
    explicit Counted(const char *n) : number(next++), name(n) { std::printf("+%s %d\n", name, number); }
    ~Counted() { std::printf("-%s %d\n", name, number); }
};
static Counted first("first");
__attribute__((init_priority(200))) static Counted early("early");
static int computed = first.number * 10;
inline Counted shared("inline");
thread_local Counted per_thread("thread");
static thread_local int plain = 5;
constinit static int constant = 7;
static Counted array[2] = {Counted("a0"), Counted("a1")};

static Counted &local() { static Counted once("local"); return once; }
static int fails() {
    static int tries = 0;
    static int value = [] { if (tries++ == 0) throw 1; return tries * 100; }();
    return value;
}
template <typename T> struct Registry { static T instance; };
template <typename T> T Registry<T>::instance{};

int main() {
    std::printf("main %d %d\n", computed, local().number + local().number);
    for (int i = 0; i < 3; i++) {
        try { std::printf("%d\n", fails()); } catch (int) { std::printf("failed\n"); }
    }
    std::thread([] { plain++; std::printf("in thread %d %d\n", per_thread.number > 0, plain); }).join();
    std::printf("%d %d %d\n", plain, constant, Registry<int>::instance++);
    return 0;
}
