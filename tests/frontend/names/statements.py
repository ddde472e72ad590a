"""Statements, each with what its instructions do in order, in the words of the source."""

from __future__ import annotations

Row = tuple[str, str]  # a statement, and its expected description

C_ROWS: list[Row] = [
    # --- variables, constants ---
    ("n = 3;", "n = 3"),
    ("n = -1;", "n = -1"),
    ("u = -1;", "u = 4294967295"),
    ("n = m;", "n = m"),
    ("c = 'x';", "c = 'x'"),
    ("c = '\\n';", "c = '\\n'"),
    ("c = 0;", "c = '\\0'"),
    ("d = 2.5;", "d = 2.5"),
    ("g = 0.1f;", "g = 0.1"),
    ("d = n;", "d = n"),
    ("n = (short)m;", "n = m"),
    ("counter = n;", "counter = n"),
    ("extern int elsewhere; n = elsewhere;", "n = elsewhere"),
    ("extern char *outside; outside = NULL;", "outside = NULL"),
    ("static long calls; calls = n;", "calls = n"),
    ("text = \"hi\\n\";", 'text = "hi\\n"'),
    ("p = NULL;", "p = NULL"),
    ("p = &n;", "p = &n"),
    ("int local = m; local = 2;", "local = m; local = 2"),
    # --- members ---
    ("s.key = 1;", "s.key = 1"),
    ("s.at.y = 4;", "s.at.y = 4"),
    ("list->key = n + 1;", "list->key = n + 1"),
    ("list->next->next->key = 2;", "list->next->next->key = 2"),
    ("list->at.x = s.at.y;", "list->at.x = s.at.y"),
    ("s.u.i = 3;", "s.u.i = 3"),
    ("s.u.bytes[2] = 'a';", "s.u.bytes[2] = 'a'"),
    ("s.u.real = 1;", "s.u.real = 1.0"),
    ("s.left = 6;", "s.left = 6"),
    ("(&s)->key = 3;", "s.key = 3"),
    ("(*list).key = 3;", "list->key = 3"),
    ("s = *list;", "s = *list"),
    ("table[1] = s;", "table[1] = s"),
    ("*list = table[n];", "*list = table[n]"),
    # --- arrays ---
    ("opt->name[3] = n + 1;", "opt->name[3] = n + 1"),
    ("opt->name[n] = 'x';", "opt->name[n] = 'x'"),
    ("a[n][2] = n * (n + 2);", "a[n][2] = n * (n + 2)"),
    ("a[1][m] = a[n][m + 1];", "a[1][m] = a[n][m + 1]"),
    ("table[n].at.x = 7;", "table[n].at.x = 7"),
    ("table[3].key = 7;", "table[3].key = 7"),
    ("opt->grid[n][1] = opt->grid[0][m];", "opt->grid[n][1] = opt->grid[0][m]"),
    ("opt->more[n] = 1;", "opt->more[n] = 1"),
    ("p[1] = p[0];", "p[1] = p[0]"),
    ("p[-1] = 0;", "p[-1] = 0"),
    ("int v[n]; v[m] = 3;",
     "temporary = stacksave(); __vla_expr0 = n; v[m] = 3; stackrestore(stacksave())"),
    ("n = opt->nodes[m]->key;", "n = opt->nodes[m]->key"),
    ("c = text[n];", "c = text[n]"),
    ("c = \"abc\"[n];", 'c = "abc"[n]'),
    ("char buf[6] = \"hello\"; n = buf[m];", 'buf = "hello"; n = buf[m]'),
    # --- pointers ---
    ("*p = 3;", "*p = 3"),
    ("**pp = 3;", "**pp = 3"),
    ("*pp = &n;", "*pp = &n"),
    ("(*heads)->next = list;", "(*heads)->next = list"),
    ("heads[1] = s.next;", "heads[1] = s.next"),
    ("p = &a[1][m];", "p = &a[1][m]"),
    ("p = a[1];", "p = a[1]"),
    ("p = &list->at.x;", "p = &list->at.x"),
    ("p = p + n;", "p = p + n"),
    ("p = p - n;", "p = p - n"),
    ("p++;", "p = p + 1"),
    ("p -= 2;", "p = p - 2"),
    ("n = p - *pp;", "n = p - *pp"),
    ("*p++ = *q++;", "q = q + 1; p = p + 1; *p = *q"),
    ("*(int *)anything = 1;", "*(int *)anything = 1"),
    ("((struct node *)anything)->key = 1;", "((struct node *)anything)->key = 1"),
    ("((short *)p)[n] = 1;", "((short *)p)[n] = 1"),
    # --- bit-fields ---
    ("s.f = 5;", "s.f = 5"),
    ("s.g = n;", "s.g = n"),
    ("s.h = 0;", "s.h = 0"),
    ("n = s.f + s.g;", "n = s.f + s.g"),
    ("n = s.h;", "n = s.h"),
    ("list->g = list->f;", "list->g = list->f"),
    ("bits.first = 1;", "bits.first = 1"),
    ("n = bits.second;", "n = bits.second"),
    # --- enums, booleans ---
    ("s.color = BLUE;", "s.color = BLUE"),
    ("if (s.color == GREEN) n = 1;", "if s.color == GREEN; n = 1"),
    ("s.flag = n < 3;", "s.flag = n < 3"),
    ("s.flag = 1;", "s.flag = true"),
    # --- arithmetic ---
    ("n = n + m * 2;", "n = n + m * 2"),
    ("n = (n + m) * 2;", "n = (n + m) * 2"),
    ("n = n - (m - 1);", "n = n - (m - 1)"),
    ("n = -m;", "n = -m"),
    ("n = ~m;", "n = ~m"),
    ("n = !m;", "n = !m"),
    ("n = m & ~7;", "n = m & ~7"),
    ("n = (m & 3) == 1;", "n = (m & 3) == 1"),
    ("n = m << 2 | n >> 1;", "n = m << 2 | n >> 1"),
    ("u = u >> 2;", "u = u >> 2"),
    ("n = m % 10 / 3;", "n = m % 10 / 3"),
    ("d = d * 2 - g;", "d = d * 2.0 - g"),
    ("d = -d;", "d = -d"),
    ("n = c - '0';", "n = c - '0'"),
    ("n += m;", "n = n + m"),
    ("list->key *= 2;", "list->key = list->key * 2"),
    ("n++;", "n = n + 1"),
    ("--opt->count;", "opt->count = opt->count - 1"),
    ("n = m++;", "m = m + 1; n = m"),
    ("n = m < 2 && c;", "if m < 2; n = m < 2 && c"),
    ("n = m || !c;", "if m; n = m || !c"),
    ("n = m < 1 && c > 'a' || u == 3;", "if m < 1; if c > 'a'; n = m < 1 && c > 'a' || u == 3"),
    ("n = m ? c : u;", "if m; n = m ? c : u"),
    ("n = m > 0 ? m : -m;", "if m > 0; n = m > 0 ? m : -m"),
    ("p = m ? &n : NULL;", "if m; p = m ? &n : NULL"),
    ("n = m ? c ? 1 : 2 : u ? 3 : 4;", "if m; n = m ? c ? 1 : 2 : u ? 3 : 4"),
    ("n = (m || c) && (u || d);",
     "if m; if c; if u; n = (m || c) && (u || d)"),
    ("n = sizeof s;", "n = 40"),
    # --- calls ---
    ("n = twice(m);", "n = twice(m)"),
    ("n = twice(m + 1) + 2;", "n = twice(m + 1) + 2"),
    ("n = opt->call(n, opt->name);", "n = opt->call(n, opt->name)"),
    ("opt->call = named;", "opt->call = named"),
    ("opt->call = 0;", "opt->call = NULL"),
    ("s.next = make(NULL);", "s.next = make(NULL)"),
    ("n = make(list)->key;", "n = make(list)->key"),
    ("n = total(s);", "n = total(s)"),
    ("paint(GREEN, 'c', \"x\");", 'paint(GREEN, \'c\', "x")'),
    ("n = strlen(text) > 3;", "n = strlen(text) > 3"),
    ("memset(&s, 0, sizeof s);", "s = 0"),
    ("memcpy(opt->name, text, 4);", "opt->name = text"),
    ("n = errno;", "n = errno"),
    # --- conditions ---
    ("int w[n][m]; w[1][u] = 3;",
     "temporary = stacksave(); __vla_expr0 = n; __vla_expr1 = m; w[1][u] = 3;"
     " stackrestore(stacksave())"),
    ("if (n) m = 1;", "if n; m = 1"),
    ("if (n != 0) m = 1;", "if n != 0; m = 1"),
    ("if (!list->next) m = 1;", "if list->next; m = 1"),
    ("if (list->next == NULL) m = 1;", "if list->next == NULL; m = 1"),
    ("if (n && c) m = 1;", "if n; if c; m = 1"),
    ("if (opt->name[n] == 'q') m = 1;", "if opt->name[n] == 'q'; m = 1"),
    ("if (text[0]) m = 1;", "if text[0]; m = 1"),
    ("if (u > 4000000000u) m = 1;", "if u > 4000000000; m = 1"),
    ("if (n >= -1) m = 1;", "if n >= -1; m = 1"),
    ("if (d < 0.5) m = 1;", "if d < 0.5; m = 1"),
    ("if (s.flag) m = 1;", "if s.flag; m = 1"),
    ("if (s.f) m = 1;", "if s.f; m = 1"),
    ("if (twice(n)) m = 1;", "if twice(n); m = 1"),
    ("if (flags & 0x1000) m = 1;", "if flags & 0x1000; m = 1"),
    ("if (p == q) m = 1;", "if p == q; m = 1"),
    ("while (list) list = list->next;", "if list; list = list->next"),
    ("for (int i = 0; i < n; i++) p[i] = i;", "i = 0; if i < n; p[i] = i; i = i + 1"),
    ("switch (c) { case 'a': n = 1; }", "if c; n = 1"),
    ("__atomic_fetch_add(&counter, 2, 5);",
     "temporary = 2; counter = counter + 2; temporary = counter"),
]  # fmt: skip

CPP_ROWS: list[Row] = [
    ("o.own = 4;", "o.own = 4"),
    ("o.inherited = 5;", "o.inherited = 5"),
    ("ref = 3;", "ref = 3"),
    ("number = ref + 1;", "number = ref + 1"),
    ("int &alias = number; alias = 2;", "alias = number; alias = 2"),
    ("o.referred = 7;", "o.referred = 7"),
    ("pointer->own = o.items[1];", "pointer->own = o.items[1]"),
    ("Owner::count++;", "Owner::count = Owner::count + 1"),
    ("space::global = 1;", "space::global = 1"),
    ("space::mode = space::Mode::fast;", "space::mode = space::Mode::fast"),
    ("flag = !flag;", "flag = !flag"),
    ("flag = true;", "flag = true"),
    ("number = o.get(1);", "number = o.get(1)"),
    ("number = pointer->get(ref);", "number = pointer->get(ref)"),
    ("number = o.plain();", "number = o.plain()"),
    ("number = o[2];", "number = o[2]"),
    ("o[2] = number;", "o[2] = number"),
    ("number = larger(number, 2);", "number = larger(number, 2)"),
    ("auto add = [&](int x) { return x + number; }; number = add(2);",
     "add.number = number; number = add(2)"),
    ("change(number);", "change(number)"),
    ("flag = o == *pointer;", "flag = o == *pointer"),
    ("number = (o + 1).own;", "o + 1; number = temporary.own"),
    ("if (o.plain() < 3) number = 1;", "if o.plain() < 3; number = 1"),
]  # fmt: skip

_C_HEAD = """
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
enum color { RED, GREEN = 5, BLUE };
typedef struct node {
  int key; struct node *next; struct { int x, y; } at;
  union { int i; char bytes[4]; float real; } u;
  union { int left; float right; };
  unsigned f : 3, g : 5; int h : 7; bool flag; enum color color;
} node;
struct options {
  char name[16]; int count; node *nodes[4]; int (*call)(int, char *); int grid[3][4]; int more[];
};
struct { unsigned first : 1, second : 2; } bits;
static int counter; node table[10]; const char *text = "text"; int a[3][4];
int twice(int x) { return 2 * x; }
int named(int x, char *name) { return x + name[0]; }
node *make(node *next) { return next; }
int total(node given) { return given.key; }
void paint(enum color color, char mark, const char *why) { }
"""
_C_PARAMETERS = (
    "struct options *opt, node *list, node **heads, int *p, int *q, int **pp, void *anything,"
    " node s, int n, int m, char c, unsigned u, unsigned flags, double d, float g"
)
_CPP_HEAD = """
namespace space { int global; enum class Mode { slow, fast }; Mode mode; }
struct Base { int inherited; virtual int get(int x) { return inherited + x; } };
struct Owner : Base {
  int own; int &referred; int items[3]; static int count;
  Owner(int &to) : referred(to) { own = to; this->inherited = 3; referred = own; }
  int get(int x) override { return own + x; }
  int plain() const { return own; }
  int &operator[](int i) { return items[i]; }
};
int Owner::count;
template <class T> T larger(T x, T y) { return x < y ? y : x; }
bool operator==(const Owner &x, const Owner &y) { return x.own == y.own; }
Owner operator+(const Owner &x, int y) { return x; }
void change(int &what) { what = 1; }
int made(int from) { Owner owner(from); return owner.own; }  // makes clang describe the class
"""
_CPP_PARAMETERS = "Owner &o, Owner *pointer, int &ref, int number, bool flag"


def c_program() -> str:
    """Return the rows of C, row n in the function row_n."""
    return _C_HEAD + _functions(C_ROWS, _C_PARAMETERS, "")


def cpp_program() -> str:
    return _CPP_HEAD + _functions(CPP_ROWS, _CPP_PARAMETERS, 'extern "C" ')


def _functions(rows: list[Row], parameters: str, prefix: str) -> str:
    return "".join(
        f"{prefix}void row_{number}({parameters}) {{ {statement} }}\n"
        for number, (statement, _) in enumerate(rows)
    )
