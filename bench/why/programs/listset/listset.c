/*
 * listset: sets of numbers kept in linked lists.
 *
 *     usage: listset [-c] COMMAND...
 *
 *     A=5,3,9      make the list A of these numbers
 *     A            print A forwards and, to test the links, its sum backwards
 *     sort:A       sort A (stable merge sort)
 *     unique:A     drop equal neighbours from A
 *     reverse:A    turn A around
 *     even:A       move the odd numbers of A to the trash list
 *     union:AB     add what is in B to A; B becomes empty (both sorted sets)
 *     common:AB    keep of A what is also in B (both sorted sets)
 *     without:AB   keep of A what is not in B (both sorted sets)
 *     splice:AB    put B at the end of A; B becomes empty
 *     trash        print how many entries were dropped
 *
 * Lists are circular and doubly linked through links that lie inside the
 * entries; a list is a link of its own that is the end on both sides.  With -c
 * every list is checked after each command.
 */
#include <assert.h>
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTS 26

struct link {
    struct link *next, *previous;
};

struct entry {
    int value;
    int serial; /* the order of creation: equal values keep it when sorted */
    struct link link;
};

struct list {
    struct link end;
    int count;
};

#define entry_of(pointer) ((struct entry *)((char *)(pointer) - offsetof(struct entry, link)))

static struct list lists[LISTS];
static struct list trash;
static int entries_made;

/* ---- links ------------------------------------------------------------ */

static void list_init(struct list *list)
{
    list->end.next = list->end.previous = &list->end;
    list->count = 0;
}

static bool is_end(const struct list *list, const struct link *link)
{
    return link == &list->end;
}

static void link_before(struct link *place, struct link *link)
{
    link->previous = place->previous;
    link->next = place;
    place->previous->next = link;
    place->previous = link;
}

static void link_remove(struct link *link)
{
    link->previous->next = link->next;
    link->next->previous = link->previous;
}

/* Moves a link of `from` to where it stands before `place` of `to`. */
static void move_before(struct list *to, struct link *place, struct list *from, struct link *link)
{
    link_remove(link);
    from->count--;
    link_before(place, link);
    to->count++;
}

static void drop(struct list *list, struct link *link)
{
    move_before(&trash, &trash.end, list, link);
}

static void append_value(struct list *list, int value)
{
    struct entry *entry = malloc(sizeof *entry);
    if (entry == NULL) {
        fprintf(stderr, "listset: out of memory\n");
        exit(3);
    }
    entry->value = value;
    entry->serial = entries_made++;
    link_before(&list->end, &entry->link);
    list->count++;
}

static void splice(struct list *to, struct list *from)
{
    if (from->count == 0)
        return;
    struct link *first = from->end.next, *last = from->end.previous;
    struct link *before = to->end.previous;
    before->next = first;
    first->previous = before;
    last->next = &to->end;
    to->end.previous = last;
    to->count += from->count;
    list_init(from);
}

static void list_check(const struct list *list)
{
    int count = 0;
    for (const struct link *link = list->end.next; !is_end(list, link); link = link->next) {
        assert(link->next->previous == link);
        count++;
        assert(count <= list->count);
    }
    assert(count == list->count);
    assert(list->end.next->previous == &list->end);
}

static bool is_set(const struct list *list)
{
    for (const struct link *link = list->end.next; !is_end(list, link); link = link->next) {
        if (!is_end(list, link->next) && entry_of(link)->value >= entry_of(link->next)->value)
            return false;
    }
    return true;
}

/* ---- sorting ---------------------------------------------------------- */

/* Merges two chains that end in NULL; only `next` is kept up. */
static struct link *merge_chains(struct link *a, struct link *b)
{
    struct link head = {NULL, NULL};
    struct link *tail = &head;
    while (a != NULL && b != NULL) {
        if (entry_of(a)->value <= entry_of(b)->value) {
            tail->next = a;
            a = a->next;
        } else {
            tail->next = b;
            b = b->next;
        }
        tail = tail->next;
    }
    tail->next = a != NULL ? a : b;
    return head.next;
}

static struct link *sort_chain(struct link *chain, int count)
{
    if (count <= 1)
        return chain;
    int half = count / 2;
    struct link *middle = chain;
    for (int i = 1; i < half; i++)
        middle = middle->next;
    struct link *rest = middle->next;
    middle->next = NULL;
    return merge_chains(sort_chain(chain, half), sort_chain(rest, count - half));
}

static void sort_list(struct list *list)
{
    if (list->count == 0)
        return;
    list->end.previous->next = NULL;
    struct link *chain = sort_chain(list->end.next, list->count);

    struct link *previous = &list->end;
    for (struct link *link = chain; link != NULL; link = link->next) {
        previous->next = link;
        link->previous = previous;
        previous = link;
    }
    previous->next = &list->end;
    list->end.previous = previous;

    for (struct link *link = chain; !is_end(list, link->next); link = link->next) {
        const struct entry *a = entry_of(link), *b = entry_of(link->next);
        assert(a->value < b->value || (a->value == b->value && a->serial < b->serial));
    }
}

/* ---- sets ------------------------------------------------------------- */

static void unique(struct list *list)
{
    struct link *link = list->end.next;
    while (!is_end(list, link) && !is_end(list, link->next)) {
        if (entry_of(link)->value == entry_of(link->next)->value)
            drop(list, link->next);
        else
            link = link->next;
    }
}

static void reverse(struct list *list)
{
    struct link *link = &list->end;
    do {
        struct link *next = link->next;
        link->next = link->previous;
        link->previous = next;
        link = next;
    } while (!is_end(list, link));
}

static void keep_even(struct list *list)
{
    struct link *link = list->end.next;
    while (!is_end(list, link)) {
        struct link *next = link->next;
        if (entry_of(link)->value % 2 != 0)
            drop(list, link);
        link = next;
    }
}

static void unite(struct list *a, struct list *b)
{
    struct link *link = a->end.next;
    assert(is_set(a) && is_set(b));
    while (b->count > 0) {
        struct link *candidate = b->end.next;
        int value = entry_of(candidate)->value;
        while (!is_end(a, link) && entry_of(link)->value < value)
            link = link->next;
        if (!is_end(a, link) && entry_of(link)->value == value)
            drop(b, candidate);
        else
            move_before(a, link, b, candidate);
    }
    assert(is_set(a));
}

/* Keeps of `a` what is in `b`, or what is not. */
static void filter(struct list *a, const struct list *b, bool keep_common)
{
    struct link *link = a->end.next;
    const struct link *other = b->end.next;
    assert(is_set(a) && is_set(b));
    while (!is_end(a, link)) {
        struct link *next = link->next;
        int value = entry_of(link)->value;
        while (!is_end(b, other) && entry_of(other)->value < value)
            other = other->next;
        bool common = !is_end(b, other) && entry_of(other)->value == value;
        if (common != keep_common)
            drop(a, link);
        link = next;
    }
}

/* ---- commands --------------------------------------------------------- */

static void print_list(char name, const struct list *list)
{
    long sum = 0;
    printf("%c:", name);
    for (const struct link *link = list->end.next; !is_end(list, link); link = link->next)
        printf(" %d", entry_of(link)->value);
    for (const struct link *link = list->end.previous; !is_end(list, link); link = link->previous)
        sum += entry_of(link)->value;
    printf(" (%d, sum %ld)\n", list->count, sum);
}

static bool read_values(struct list *list, const char *text)
{
    while (*text != '\0') {
        bool negative = *text == '-';
        int value = 0;
        if (negative)
            text++;
        if (!isdigit((unsigned char)*text))
            return false;
        while (isdigit((unsigned char)*text))
            value = value * 10 + (*text++ - '0');
        append_value(list, negative ? -value : value);
        if (*text == ',')
            text++;
        else if (*text != '\0')
            return false;
    }
    return true;
}

static struct list *list_named(char name)
{
    return name >= 'A' && name <= 'Z' ? &lists[name - 'A'] : NULL;
}

/* Runs VERB:A or VERB:AB. */
static bool run_verb(const char *verb, size_t length, struct list *a, struct list *b)
{
    static const char *const unary[] = {"sort", "unique", "reverse", "even"};
    static void (*const run_unary[])(struct list *) = {sort_list, unique, reverse, keep_even};

    for (size_t i = 0; i < sizeof unary / sizeof *unary; i++) {
        if (strlen(unary[i]) == length && strncmp(verb, unary[i], length) == 0) {
            run_unary[i](a);
            return b == NULL;
        }
    }
    if (b == NULL || a == b)
        return false;
    if (strncmp(verb, "union:", length + 1) == 0)
        unite(a, b);
    else if (strncmp(verb, "common:", length + 1) == 0)
        filter(a, b, true);
    else if (strncmp(verb, "without:", length + 1) == 0)
        filter(a, b, false);
    else if (strncmp(verb, "splice:", length + 1) == 0)
        splice(a, b);
    else
        return false;
    return true;
}

static bool run_command(const char *command)
{
    const char *colon = strchr(command, ':');
    struct list *list = list_named(command[0]);
    if (strcmp(command, "trash") == 0) {
        print_list('-', &trash);
        return true;
    }
    if (colon != NULL) {
        struct list *a = list_named(colon[1]);
        struct list *b = a == NULL ? NULL : list_named(colon[2]);
        return a != NULL && run_verb(command, (size_t)(colon - command), a, b);
    }
    if (list == NULL)
        return false;
    if (command[1] == '=')
        return read_values(list, command + 2);
    if (command[1] != '\0')
        return false;
    print_list(command[0], list);
    return true;
}

static void check_all(int used)
{
    int total = trash.count;
    list_check(&trash);
    for (int i = 0; i < used; i++) {
        list_check(&lists[i]);
        total += lists[i].count;
    }
    assert(total == entries_made);
}

static void free_list(struct list *list)
{
    struct link *link = list->end.next;
    while (!is_end(list, link)) {
        struct link *next = link->next;
        free(entry_of(link));
        link = next;
    }
}

int main(int argc, char **argv)
{
    bool careful = false;
    list_init(&trash);
    for (int i = 0; i < LISTS; i++)
        list_init(&lists[i]);

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "-c") == 0) {
            careful = true;
        } else if (!run_command(argv[i])) {
            fprintf(stderr, "listset: bad command: %s\n", argv[i]);
            return 2;
        }
        if (careful)
            check_all(3);
    }
    check_all(LISTS);
    free_list(&trash);
    for (int i = 0; i < LISTS; i++)
        free_list(&lists[i]);
    return 0;
}
