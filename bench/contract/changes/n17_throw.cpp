// A stack machine whose callers tell errors apart by their class.
#include <cstdio>
#include <stdexcept>
#include <string>
#include <vector>
struct Underflow : std::runtime_error {
    int wanted;
    Underflow(int n) : std::runtime_error("underflow"), wanted(n) {}
};
struct Deep : Underflow {
    Deep(int n) : Underflow(n) {}
};
class Stack {
    std::vector<int> values;
public:
    void push(int n) { values.push_back(n); }
    int pop(int wanted) {
        if (values.empty())
            throw @{Underflow(wanted)|Deep(wanted)};
        int n = values.back();
        values.pop_back();
        return n;
    }
};
static int sum(Stack &stack, int count) {
    int all = 0;
    for (int i = 0; i < count; i++)
        all += stack.pop(count - i);
    return all;
}
static int attempt(Stack &stack, int count) {
    try {
        return sum(stack, count);
    } catch (const Deep &deep) {
        return -deep.wanted;
    } catch (const std::exception &) {
        return -100;
    }
}
int main() {
    Stack stack;
    for (int i = 1; i <= 4; i++)
        stack.push(i * i);
    printf("%d\n", attempt(stack, 2));
    printf("%d\n", attempt(stack, 5));
    return 0;
}
