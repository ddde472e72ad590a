// A tour of C++: classes, templates, exceptions, and their form in the Itanium ABI.
#include <algorithm>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <variant>
#include <vector>

namespace {
struct Base {
  virtual ~Base() = default;
  virtual int area() const = 0;
  int tag = 7;
};
struct Other {
  virtual int other() { return 1; }
  long extra;
};
struct Square final : Base, Other {
  explicit Square(int side) : side(side) {}
  int area() const override { return side * side; }
  int other() override { return side; }
  int side;
};
struct Virtual : virtual Base { int area() const override { return 2; } };
struct Diamond : Virtual, virtual Other {};
struct Noisy {
  ~Noisy() { std::cout << "gone" << std::endl; }
};
template <typename T, int N> struct Fixed {
  T items[N];
  T sum() const {
    T total{};
    for (const T &item : items) total += item;
    return total;
  }
};
enum class Colour : unsigned char { red, green };
thread_local std::string per_thread = "own";
std::map<std::string, int> counts = {{"a", 1}, {"b", 2}};
}  // namespace

inline int shared_inline = 4;
int Square_counter = std::max(3, shared_inline);

int throwing(int n) {
  Noisy guard;
  if (n == 1) throw std::runtime_error("one");
  if (n == 2) throw 2;
  if (n == 3) throw;
  return n;
}
int catching(int n) try {
  try {
    return throwing(n);
  } catch (const std::exception &error) {
    std::cerr << error.what();
    throw;
  } catch (int value) {
    return value;
  }
} catch (...) {
  return -1;
}
int quiet(int n) noexcept { return catching(n) + throwing(0); }
static int once() {
  static std::string kept = std::to_string(catching(1));
  return static_cast<int>(kept.size());
}
int casts(Base *base, Other *other) {
  if (auto *square = dynamic_cast<Square *>(base)) return square->side + square->other();
  return reinterpret_cast<long>(other) & 1 ? typeid(*base).hash_code() & 1 : base->area();
}
auto lambdas(int a) {
  int b = 2;
  auto add = [a, &b](auto x) mutable { return a++ + b + x; };
  std::function<int(int)> stored = add;
  return stored(3) + static_cast<int>(add(4.0));
}
int members(int (Square::*method)() const, int Square::*field, Square &square) {
  return (square.*method)() + square.*field;
}
int generic() {
  Fixed<double, 4> doubles{{1, 2, 3, 4}};
  Fixed<Colour, 2> colours{{Colour::red, Colour::green}};
  std::vector<std::unique_ptr<Base>> shapes;
  shapes.push_back(std::make_unique<Square>(3));
  shapes.emplace_back(new Diamond);
  std::sort(shapes.begin(), shapes.end(),
            [](const auto &x, const auto &y) { return x->area() < y->area(); });
  std::variant<int, std::string> either = "text";
  auto [first, second] = std::pair{1, 2.5};
  int sum = static_cast<int>(doubles.sum()) + first + static_cast<int>(second);
  for (auto &shape : shapes) sum += shape->area() + static_cast<int>(colours.items[1]);
  for (const auto &[name, count] : counts) sum += count + static_cast<int>(name.size());
  return sum + static_cast<int>(either.index()) + std::get<std::string>(either)[0];
}
int arrays(int n) {
  auto *objects = new Noisy[n];
  delete[] objects;
  Noisy local[3];
  int *raw = new (std::nothrow) int(5);
  int result = raw ? *raw : 0;
  delete raw;
  return result;
}
int main() {
  std::thread worker([] { per_thread += "!"; });
  worker.join();
  Square square(2);
  return once() + casts(&square, &square) + lambdas(1) + generic() + arrays(2) + quiet(3) +
         members(&Square::area, &Square::side, square) + Square_counter;
}
