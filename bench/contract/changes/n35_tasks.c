/* Tasks in an arena, on intrusive lists; flags are bit-fields, and a union holds what each kind needs. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct link { struct link *next, *prev; };
#define OWNER(at, type, member) ((type *)((char *)(at) - offsetof(type, member)))

enum kind { TIMER, COPY, SIGNAL };

struct task {
    struct link on_list;
    unsigned kind : 2, urgent : 1, tries : 5;
    uint16_t id;
    union {
        struct { uint32_t due, every; } timer;
        struct { const char *from; char *to; size_t n; } copy;
        uint64_t mask;
    } u;
};

struct arena { char *start; size_t used, room; struct arena *before; };
struct queue { struct link head; int length; uint32_t now; uint64_t pending; };

static struct arena *arena_new(size_t room, struct arena *before)
{
    struct arena *a = malloc(sizeof *a);
    a->start = malloc(room);
    a->used = 0;
    a->room = room;
    a->before = before;
    return a;
}

static void *take(struct arena **arena, size_t n)
{
    n = (n + 15) & ~(size_t)15;
    if ((*arena)->used + n > (*arena)->room)
        *arena = arena_new((*arena)->room, *arena);
    (*arena)->used += n;
    return (*arena)->start + (*arena)->used - n;
}

static int arena_free(struct arena *a)
{
    int count = 0;
    while (a) {
        struct arena *before = a->before;
        free(a->start);
        free(a);
        a = before;
        count++;
    }
    return count;
}

static void unlink_one(struct link *l)
{
    l->prev->next = l->next;
    l->next->prev = l->prev;
    l->next = l->prev = l;
}

static void link_before(struct link *at, struct link *l)
{
    l->next = at;
    l->prev = at->prev;
    at->prev->next = l;
    at->prev = l;
}

static uint32_t key_of(const struct task *t)
{
    return t->urgent ? 0 : t->kind == TIMER ? t->u.timer.due : 1000u + t->id;
}

static void enqueue(struct queue *q, struct task *t)
{
    struct link *at = q->head.next;
    while (at != &q->head && key_of(OWNER(at, struct task, on_list)) @{<|<=} key_of(t))
        at = at->next;
    link_before(at, &t->on_list);
    q->length++;
}

static struct task *dequeue(struct queue *q)
{
    struct link *first = q->head.next;
    if (first == &q->head)
        return NULL;
    unlink_one(first);
    q->length--;
    return OWNER(first, struct task, on_list);
}

static struct task *task_new(struct arena **arena, enum kind kind, uint16_t id)
{
    struct task *t = take(arena, sizeof *t);
    memset(t, 0, sizeof *t);
    t->kind = kind;
    t->id = id;
    t->on_list.next = t->on_list.prev = &t->on_list;
    return t;
}

static int fire(struct queue *q, struct task *t)
{
    t->tries++;
    switch (t->kind) {
    case TIMER:
        q->now = t->u.timer.due > q->now ? t->u.timer.due : q->now;
        t->u.timer.due += t->u.timer.every;
        return t->u.timer.every != 0 && t->tries < 3;
    case COPY:
        memcpy(t->u.copy.to, t->u.copy.from, t->u.copy.n);
        return 0;
    default:
        q->pending |= t->u.mask;
        return t->tries < 2;
    }
}

static int run(struct queue *q)
{
    int fired = 0;
    struct task *t;
    while ((t = dequeue(q))) {
        fired++;
        if (fire(q, t))
            enqueue(q, t);
    }
    return fired;
}

static void requeue_urgent(struct queue *q, uint16_t id)
{
    for (struct link *l = q->head.next; l != &q->head; l = l->next) {
        struct task *t = OWNER(l, struct task, on_list);
        if (t->id == id && !t->urgent) {
            unlink_one(l);
            q->length--;
            t->urgent = 1;
            enqueue(q, t);
            return;
        }
    }
}

int main(void)
{
    struct arena *arena = arena_new(256, NULL);
    struct queue q = {{&q.head, &q.head}, 0, 0, 0};
    char to[16] = "";
    for (uint16_t id = 1; id <= 6; id++) {
        struct task *t = task_new(&arena, id % 3 == 0 ? COPY : id % 2 ? TIMER : SIGNAL, id);
        if (t->kind == TIMER) {
            t->u.timer.due = 10;
            t->u.timer.every = id;
        } else if (t->kind == COPY) {
            t->u.copy.from = "hello";
            t->u.copy.to = to;
            t->u.copy.n = id;
        } else
            t->u.mask = 1ull << (id * 7);
        enqueue(&q, t);
    }
    requeue_urgent(&q, 4);
    printf("%d %d\n", run(&q) > 6, to[0] == 'h');
    return arena_free(arena) == 0;
}
