/* What do functions on patterns, wide and multibyte characters, translations and growing objects
 * read and write? */
#include <regex.h>
#include <wchar.h>

/* --- patterns --- */

void wh_a_fnmatch(int r, const char *pattern, const char *text, int flags)
{
    (void)r, (void)flags;
    reads_string(pattern);
    reads_string(text);
}
void wh_a_strverscmp(int r, const char *a, const char *b) { wh_a_strcoll(r, a, b); }

void wh_a_regcomp(int r, regex_t *to, const char *pattern, int flags)
{
    (void)r, (void)flags;
    reads_string(pattern);
    writes(to, sizeof *to);
}
void wh_a_regexec(int r, const regex_t *pattern, const char *text, size_t n, regmatch_t *found, int flags)
{
    reads(pattern, sizeof *pattern);
    reads_string(text);
    if (r == 0 && !(flags & REG_NOSUB))
        writes(found, n * sizeof *found);
}
void wh_a_regerror(size_t r, int error, const regex_t *pattern, char *to, size_t n)
{
    (void)error;
    reads(pattern, pattern ? sizeof *pattern : 0);
    writes(to, least(r, n));
}

/* What re_search() tells about its groups: `struct re_registers` of the GNU C library. */
struct registers {
    unsigned count;
    int *starts, *ends;
};
static void finds(int r, const struct registers *found)
{
    if (r < 0 || !found)
        return;
    writes(found, sizeof *found);
    writes(found->starts, found->count * sizeof *found->starts);
    writes(found->ends, found->count * sizeof *found->ends);
}
void wh_a_re_compile_pattern(const char *r, const char *pattern, size_t n, regex_t *to)
{
    (void)r;
    reads(pattern, n);
    writes(to, sizeof *to);
}
void wh_a_re_compile_fastmap(int r, regex_t *pattern)
{
    (void)r;
    reads(pattern, sizeof *pattern);
}
void wh_a_re_search(int r, regex_t *pattern, const char *text, int n, int start, int range, void *found)
{
    (void)start, (void)range;
    reads(pattern, sizeof *pattern);
    reads(text, n > 0 ? (uint64_t)n : 0);
    finds(r, found);
}
void wh_a_re_match(int r, regex_t *pattern, const char *text, int n, int start, void *found)
{
    wh_a_re_search(r, pattern, text, n, start, 0, found);
}
void wh_a_re_search_2(int r, regex_t *pattern, const char *one, int n, const char *two, int m,
                      int start, int range, void *found, int stop)
{
    (void)stop;
    reads(two, m > 0 ? (uint64_t)m : 0);
    wh_a_re_search(r, pattern, one, n, start, range, found);
}
void wh_a_re_match_2(int r, regex_t *pattern, const char *one, int n, const char *two, int m,
                     int start, void *found, int stop)
{
    wh_a_re_search_2(r, pattern, one, n, two, m, start, 0, found, stop);
}

/* --- multibyte characters --- */

/* A conversion depends on its state only if the state is in the middle of a character. */
static __thread int was_in_character;
static void state_before(const mbstate_t *state)
{
    was_in_character = state && !mbsinit(state);
    if (was_in_character)
        reads(state, sizeof *state);
}
static void state_after(const mbstate_t *state)
{
    if (state && (was_in_character || !mbsinit(state)))
        writes(state, sizeof *state);
}
/* `r` is the number of bytes that were taken; SIZE_MAX - 1: all `n` are part of a character. */
static void takes(size_t r, const char *s, size_t n)
{
    if (s)
        reads(s, r == 0 ? 1 : r > n ? (r == SIZE_MAX ? strnlen(s, n) : n) : r);
}
void wh_b_mbrtowc(wchar_t *to, const char *s, size_t n, mbstate_t *state)
{
    (void)to, (void)s, (void)n;
    state_before(state);
}
void wh_a_mbrtowc(size_t r, wchar_t *to, const char *s, size_t n, mbstate_t *state)
{
    takes(r, s, n);
    if (to && s && r <= n)
        writes(to, sizeof *to);
    state_after(state);
}
void wh_b_mbrlen(const char *s, size_t n, mbstate_t *state) { wh_b_mbrtowc(NULL, s, n, state); }
void wh_a_mbrlen(size_t r, const char *s, size_t n, mbstate_t *state)
{
    wh_a_mbrtowc(r, NULL, s, n, state);
}
void wh_a_mbtowc(int r, wchar_t *to, const char *s, size_t n)
{
    takes((size_t)r, s, n);
    if (to && s && r >= 0)
        writes(to, sizeof *to);
}
void wh_a_mblen(int r, const char *s, size_t n) { wh_a_mbtowc(r, NULL, s, n); }
void wh_a_mbstowcs(size_t r, wchar_t *to, const char *s, size_t n)
{
    reads_string(s);
    if (to && r != SIZE_MAX)
        writes(to, least(r + 1, n) * sizeof *to);
}
void wh_b_mbsrtowcs(wchar_t *to, const char **s, size_t n, mbstate_t *state)
{
    (void)to, (void)n;
    reads(s, sizeof *s);
    reads_string(*s);
    state_before(state);
}
void wh_a_mbsrtowcs(size_t r, wchar_t *to, const char **s, size_t n, mbstate_t *state)
{
    if (to && r != SIZE_MAX)
        writes(to, least(r + 1, n) * sizeof *to);
    if (to)
        writes(s, sizeof *s);
    state_after(state);
}
void wh_b_wcrtomb(char *to, wchar_t c, mbstate_t *state)
{
    (void)to, (void)c;
    state_before(state);
}
void wh_a_wcrtomb(size_t r, char *to, wchar_t c, mbstate_t *state)
{
    (void)c;
    if (to && r != SIZE_MAX)
        writes(to, r);
    state_after(state);
}
void wh_a_wctomb(int r, char *to, wchar_t c)
{
    (void)c;
    if (to && r > 0)
        writes(to, (size_t)r);
}
static void reads_wide(const wchar_t *s)
{
    if (s)
        reads(s, (wcslen(s) + 1) * sizeof *s);
}
void wh_a_wcstombs(size_t r, char *to, const wchar_t *s, size_t n)
{
    reads_wide(s);
    if (to && r != SIZE_MAX)
        writes(to, least(r + 1, n));
}
void wh_a_mbsinit(int r, const mbstate_t *state)
{
    (void)r;
    if (state)
        reads(state, sizeof *state);
}

/* --- wide characters --- */

void wh_a_wcslen(size_t r, const wchar_t *s) { reads(s, (r + 1) * sizeof *s); }
void wh_a_wcscmp(int r, const wchar_t *a, const wchar_t *b)
{
    (void)r;
    reads_wide(a);
    reads_wide(b);
}
SAME(a, wcscmp, wcscoll)
void wh_a_wcscpy(const wchar_t *r, const wchar_t *to, const wchar_t *from)
{
    (void)r;
    copies(to, from, (wcslen(to) + 1) * sizeof *to);
}
void wh_a_wcschr(const wchar_t *r, const wchar_t *s, wchar_t c)
{
    (void)c;
    reads(s, ((r ? (size_t)(r - s) : wcslen(s)) + 1) * sizeof *s);
}
void wh_a_wcswidth(int r, const wchar_t *s, size_t n)
{
    (void)r;
    reads(s, least(wcsnlen(s, n) + 1, n) * sizeof *s);
}
void wh_a_wmemcpy(const wchar_t *r, const wchar_t *to, const wchar_t *from, size_t n)
{
    (void)r;
    copies(to, from, n * sizeof *to);
}
SAME(a, wmemcpy, wmemmove)
void wh_a_wmemset(const wchar_t *r, const wchar_t *to, wchar_t c, size_t n)
{
    (void)r, (void)c;
    writes(to, n * sizeof *to);
}
void wh_a_wctype(unsigned long r, const char *name) { (void)r; reads_string(name); }

/* --- translations --- */

/* Without a translation the text itself is returned: only a translation is new text. */
static void translates(const char *r, const char *text, const char *plural)
{
    reads_string(text);
    if (r != text && r != plural)
        writes_string(r);
}
void wh_a_gettext(const char *r, const char *text) { translates(r, text, NULL); }
void wh_a_dgettext(const char *r, const char *domain, const char *text)
{
    (void)domain;
    translates(r, text, NULL);
}
void wh_a_dcgettext(const char *r, const char *domain, const char *text, int category)
{
    (void)domain, (void)category;
    translates(r, text, NULL);
}
void wh_a_ngettext(const char *r, const char *one, const char *many, unsigned long n)
{
    (void)n;
    translates(r, one, many);
}
void wh_a_dngettext(const char *r, const char *domain, const char *one, const char *many, unsigned long n)
{
    (void)domain, (void)n;
    translates(r, one, many);
}
void wh_a_dcngettext(const char *r, const char *domain, const char *one, const char *many,
                     unsigned long n, int category)
{
    (void)domain, (void)n, (void)category;
    translates(r, one, many);
}

/* --- growing objects --- */

/* The start of `struct obstack` of the GNU C library. */
struct growing {
    size_t chunk_size;
    void *chunk;
    char *object, *next_free, *limit;
};
static __thread const char *old_object;
static __thread size_t object_size;
void wh_b__obstack_newchunk(const struct growing *stack, int size)
{
    (void)size;
    old_object = stack->object;
    object_size = (size_t)(stack->next_free - stack->object);
    reads(stack, sizeof *stack);
}
void wh_a__obstack_newchunk(const struct growing *stack, int size)
{
    (void)size;
    copies(stack->object, old_object, object_size);
    writes(stack, sizeof *stack);
}
void wh_a__obstack_begin(int r, const struct growing *stack, int size, int align, void *get, void *put)
{
    (void)r, (void)size, (void)align, (void)get, (void)put;
    writes(stack, sizeof *stack);
}
