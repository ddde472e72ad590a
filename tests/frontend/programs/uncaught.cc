// An exception that no handler catches: terminate.
// signal: SIGABRT
#include <cstdio>
#include <cstdlib>
#include <exception>

static int check(int n) {
    if (n > 2) throw n;
    return n;
}

int main() {
    std::set_terminate([] { std::fprintf(stderr, "terminating\n"); std::abort(); });
    int sum = 0;
    for (int i = 0; i < 5; i++) sum += check(i);
    return sum;
}
