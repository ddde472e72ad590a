/* A scheduler.  Standard input has one command a line:
     add NAME PRIORITY LENGTH     a new task
     run N                        give out N slices
     block NAME | wake NAME | drop NAME
     boost NAME N                 raise its priority for its next slice
     aging on | aging off
     show                         print the queues
   The task with the highest priority runs; of equals, the one that waited longest. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_TASKS 8
#define MAX_PRIORITY 5
#define SLICE 3

enum state { FREE, READY, BLOCKED, DONE };

struct task {
    char name[8];
    enum state state;
    int priority, boost, left, waited, ran;
};

static struct task tasks[MAX_TASKS];
static int n_tasks, clock_now, is_aging, switches;
static struct task *last;

static struct task *find(const char *name)
{
    int i;
    for (i = 0; i < n_tasks; i++)
        if (tasks[i].state != FREE && !strcmp(tasks[i].name, name))
            return &tasks[i];
    return NULL;
}

static struct task *unused(void)
{
    int i;
    for (i = 0; i < n_tasks; i++)
        if (tasks[i].state == FREE)
            return &tasks[i];
    return n_tasks < MAX_TASKS ? &tasks[n_tasks++] : NULL;
}

static void add(const char *name, int priority, int length)
{
    struct task *made;
    if (find(name)) {
        printf("%s exists\n", name);
        return;
    }
    if (priority < 0 || priority > MAX_PRIORITY) {
        printf("bad priority\n");
        return;
    }
    made = unused();
    if (!made) {
        printf("too many tasks\n");
        return;
    }
    memset(made, 0, sizeof *made);
    strncpy(made->name, name, sizeof made->name - 1);
    made->state = READY;
    made->priority = priority;
    made->left = length;
}

static int effective(const struct task *task)
{
    int value = task->priority + task->boost;
    if (is_aging)
        value += task->waited / 4;
    return value > 2 * MAX_PRIORITY ? 2 * MAX_PRIORITY : value;
}

static struct task *choose(void)
{
    struct task *best = NULL;
    int i;
    for (i = 0; i < n_tasks; i++) {
        struct task *task = &tasks[i];
        if (task->state != READY)
            continue;
        if (!best || effective(task) > effective(best) ||
            (effective(task) == effective(best) && task->waited > best->waited))
            best = task;
    }
    return best;
}

static void one_slice(void)
{
    struct task *task = choose();
    int i, used;
    if (!task) {
        clock_now++;
        printf("%d idle\n", clock_now);
        return;
    }
    used = task->left < SLICE ? task->left : SLICE;
    if (task != last)
        switches++;
    last = task;
    task->left -= used;
    task->ran += used;
    clock_now += used;
    task->boost = 0;
    for (i = 0; i < n_tasks; i++)
        if (tasks[i].state == READY && &tasks[i] != task)
            tasks[i].waited += used;
    task->waited = 0;
    printf("%d %s\n", clock_now, task->name);
    if (task->left == 0)
        task->state = DONE;
}

static void show(void)
{
    int i;
    for (i = 0; i < n_tasks; i++) {
        const struct task *task = &tasks[i];
        if (task->state == READY)
            printf("%s ready %d\n", task->name, effective(task));
        else if (task->state == BLOCKED)
            printf("%s blocked\n", task->name);
        else if (task->state == DONE)
            printf("%s done after %d\n", task->name, task->ran);
    }
    printf("%d switches\n", switches);
}

static void set_state(const char *name, enum state from, enum state to)
{
    struct task *task = find(name);
    if (!task) {
        printf("no %s\n", name);
        return;
    }
    if (task->state != from) {
        printf("%s cannot\n", name);
        return;
    }
    task->state = to;
    if (to == READY)
        task->waited = 0;
}

static void drop(const char *name)
{
    struct task *task = find(name);
    if (!task)
        return;
    task->state = FREE;
    if (last == task)
        last = NULL;
}

static void obey(char *line)
{
    char word[16] = "", name[16] = "";
    int first = 0, second = 0, fields;
    fields = sscanf(line, "%15s %15s %d %d", word, name, &first, &second);
    if (fields < 1)
        return;
    if (!strcmp(word, "add") && fields == 4)
        add(name, first, second);
    else if (!strcmp(word, "run")) {
        int n = atoi(name);
        while (n-- > 0)
            one_slice();
    } else if (!strcmp(word, "block"))
        set_state(name, READY, BLOCKED);
    else if (!strcmp(word, "wake"))
        set_state(name, BLOCKED, READY);
    else if (!strcmp(word, "drop"))
        drop(name);
    else if (!strcmp(word, "boost") && fields >= 3) {
        struct task *task = find(name);
        if (task && first > 0)
            task->boost = first;
    } else if (!strcmp(word, "aging"))
        is_aging = !strcmp(name, "on");
    else if (!strcmp(word, "show"))
        show();
    else
        printf("what is %s\n", word);
}

int main(void)
{
    char line[64];
    while (fgets(line, sizeof line, stdin))
        obey(line);
    printf("end at %d\n", clock_now);
    return 0;
}
