/* Jobs wait in a heap; each kind of job has a function that runs it and may add others. */
#include <stdio.h>
#include <stdlib.h>

struct shop;
struct job;
typedef void (*run_job)(struct shop *, const struct job *);

struct job {
    int due, urgency, size;
    run_job run;
};

struct shop {
    struct job *heap;
    int count, room;
    int clock, busy, polished, late;
};

static int goes_before(const struct job *one, const struct job *other)
{
    if (one->due != other->due)
        return one->due < other->due;
    return one->urgency @{<|>} other->urgency;
}

static void swap(struct job *one, struct job *other)
{
    struct job kept = *one;
    *one = *other;
    *other = kept;
}

static void add(struct shop *shop, int due, int urgency, int size, run_job run)
{
    if (shop->count == shop->room) {
        shop->room = shop->room ? 2 * shop->room : 2;
        shop->heap = realloc(shop->heap, shop->room * sizeof *shop->heap);
    }
    struct job job = {due, urgency, size, run};
    int at = shop->count++;
    shop->heap[at] = job;
    while (at > 0 && goes_before(&shop->heap[at], &shop->heap[(at - 1) / 2])) {
        swap(&shop->heap[at], &shop->heap[(at - 1) / 2]);
        at = (at - 1) / 2;
    }
}

static struct job take(struct shop *shop)
{
    struct job first = shop->heap[0];
    shop->heap[0] = shop->heap[--shop->count];
    int at = 0;
    for (;;) {
        int best = at;
        for (int child = 2 * at + 1; child <= 2 * at + 2; child++)
            if (child < shop->count && goes_before(&shop->heap[child], &shop->heap[best]))
                best = child;
        if (best == at)
            return first;
        swap(&shop->heap[at], &shop->heap[best]);
        at = best;
    }
}

static void polish(struct shop *shop, const struct job *job)
{
    shop->polished += job->size;
    shop->busy += 2 * job->size;
}

static void cut(struct shop *shop, const struct job *job)
{
    shop->busy += job->size;
    if (job->size > 2)
        add(shop, shop->clock + 3, job->urgency, job->size - 2, polish);
}

static void inspect(struct shop *shop, const struct job *job)
{
    if (shop->polished < job->size)
        shop->late++;
    shop->busy++;
}

static void work(struct shop *shop)
{
    while (shop->count > 0) {
        struct job job = take(shop);
        if (job.due > shop->clock)
            shop->clock = job.due;
        int before = shop->busy;
        job.run(shop, &job);
        shop->clock += shop->busy - before;
    }
}

int main(void)
{
    struct shop shop = {0};
    add(&shop, 4, 1, 5, cut);
    add(&shop, 1, 2, 4, cut);
    add(&shop, 12, 1, 6, inspect);
    add(&shop, 12, 5, 2, polish);
    add(&shop, 9, 3, 3, cut);
    work(&shop);
    int score = 10 * shop.polished - 7 * shop.late;
    printf("done at %d, score %d\n", shop.clock, score);
    free(shop.heap);
    return 0;
}
