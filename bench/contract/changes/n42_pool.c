/* Objects of several kinds live in one pool, with a header before each of them and links between them. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct head {
    uint32_t size;
    uint16_t kind;
    uint16_t marks;
    struct head *next;
};

enum kind { FREE, NAME, PAIR, ARRAY };

struct pool {
    unsigned char *space;
    size_t used, all;
    struct head *first, *free;
    int made, kept, lost;
};

struct name {
    struct name *other;
    int uses;
    char text[1];
};

struct pair {
    void *left, *right;
};

struct array {
    int count, room;
    void *items[1];
};

static struct head *head_of(void *object)
{
    return (struct head *)object - 1;
}

static void *body_of(struct head *head)
{
    return head + 1;
}

static void pool_open(struct pool *pool, size_t all)
{
    memset(pool, 0, sizeof *pool);
    pool->space = malloc(all);
    pool->all = all;
    memset(pool->space, 0x5a, all);
}

static size_t rounded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

static struct head *from_free(struct pool *pool, size_t size)
{
    struct head **at = &pool->free, **best = NULL;

    for (; *at != NULL; at = &(*at)->next)
        if ((*at)->size >= size && (best == NULL || (*at)->size < (*best)->size))
            best = at;
    if (best == NULL)
        return NULL;
    struct head *found = *best;
    *best = found->next;
    return found;
}

static void *pool_new(struct pool *pool, enum kind kind, size_t size)
{
    struct head *head;

    size = rounded(size);
    head = from_free(pool, size);
    if (head == NULL) {
        if (pool->used + sizeof *head + size > pool->all) {
            pool->lost++;
            return NULL;
        }
        head = (struct head *)(pool->space + pool->used);
        head->size = (uint32_t)size;
        pool->used += sizeof *head + size;
    }
    head->kind = (uint16_t)kind;
    head->marks = 0;
    head->next = pool->first;
    pool->first = head;
    pool->made++;
    memset(body_of(head), 0, head->size);
    return body_of(head);
}

static struct name *new_name(struct pool *pool, const char *text)
{
    struct name *made = pool_new(pool, NAME, sizeof *made + strlen(text));

    if (made != NULL)
        strcpy(made->text, text);
    return made;
}

static struct pair *new_pair(struct pool *pool, void *left, void *right)
{
    struct pair *made = pool_new(pool, PAIR, sizeof *made);

    if (made != NULL) {
        made->left = left;
        made->right = right;
    }
    return made;
}

static struct array *new_array(struct pool *pool, int room)
{
    struct array *made = pool_new(pool, ARRAY, sizeof *made + (size_t)room * sizeof(void *));

    if (made != NULL)
        made->room = room;
    return made;
}

static int push(struct array *array, void *item)
{
    if (array->count == array->room)
        return 0;
    array->items[array->count++] = item;
    return 1;
}

static void mark(void *object, int depth)
{
    struct head *head;

    if (object == NULL)
        return;
    head = head_of(object);
    if (head->marks++ > 0)
        return;
    if (head->kind == NAME) {
        ((struct name *)object)->uses += depth;
        mark(((struct name *)object)->other, depth + 1);
    } else if (head->kind == PAIR) {
        struct pair *pair = object;
        mark(pair->left, depth + 1);
        mark(pair->right, @{depth|depth + 1});
    } else if (head->kind == ARRAY) {
        struct array *array = object;
        for (int i = 0; i < array->count; i++)
            mark(array->items[i], depth + 1);
    }
}

static int sweep(struct pool *pool)
{
    struct head **at = &pool->first;
    int freed = 0;

    pool->kept = 0;
    while (*at != NULL) {
        struct head *head = *at;
        if (head->marks == 0) {
            *at = head->next;
            head->kind = FREE;
            head->next = pool->free;
            pool->free = head;
            freed++;
        } else {
            head->marks = 0;
            pool->kept++;
            at = &head->next;
        }
    }
    return freed;
}

static int weight(const void *object)
{
    const struct head *head = head_of((void *)object);

    if (head->kind == NAME)
        return 1 + ((const struct name *)object)->uses;
    if (head->kind == PAIR) {
        const struct pair *pair = object;
        return weight(pair->left) + weight(pair->right);
    }
    int sum = 0;
    for (int i = 0; i < ((const struct array *)object)->count; i++)
        sum += weight(((const struct array *)object)->items[i]);
    return sum;
}

int main(void)
{
    static const char *words[] = {"ash", "birch", "cedar", "dogwood", "elm", "fir", NULL};
    struct pool pool;
    struct array *root;
    struct name *last = NULL;

    pool_open(&pool, 2048);
    root = new_array(&pool, 8);
    for (int i = 0; words[i] != NULL; i++) {
        struct name *name = new_name(&pool, words[i]);
        if (i % 2 == 0)
            name->other = last;
        last = name;
        if (i % 3 == 0)
            push(root, new_pair(&pool, name, new_name(&pool, "leaf")));
    }
    mark(root, 0);
    printf("freed %d", sweep(&pool));
    printf(" kept %d weight %d\n", pool.kept, weight(root));
    push(root, new_pair(&pool, new_name(&pool, "gum"), last));
    mark(root, 0);
    printf("freed %d", sweep(&pool));
    printf(" kept %d weight %d made %d lost %d\n", pool.kept, weight(root), pool.made, pool.lost);
    return 0;
}
