/* Processes in queues of three priorities, as a driver of a test uses them: who ends first? */
#include <stdio.h>
#include <stdlib.h>

#define QUEUES 3
#define MOST 4
struct process { char name; int priority, left, waited; };
static struct process all[MOST], *queues[QUEUES][MOST];
static int lengths[QUEUES], count, switches, idle;

static void enqueue(struct process *one) {
    int queue = one->priority;
    if (lengths[queue] < MOST)
        queues[queue][lengths[queue]++] = one;
}

static struct process *dequeue(void) {
    for (int queue = QUEUES - 1; queue >= 0; queue--)
        if (lengths[queue]) {
            struct process *first = queues[queue][0];
            for (int k = 1; k < lengths[queue]; k++) {
                queues[queue][k - 1] = queues[queue][k];
                queues[queue][k - 1]->waited++;
            }
            lengths[queue]--;
            return first;
        }
    idle++;
    return NULL;
}

static void start(int priority, int work) {
    struct process *one = &all[count++];
    one->name = 'a' + count - 1;
    one->priority = priority < 0 ? 0 : priority >= QUEUES ? QUEUES - 1 : priority;
    one->left = work < 1 ? 1 : work > 3 ? 3 : work;
    enqueue(one);
}

static char first_to_end(void) {
    struct process *now;
    char found = 0;
    while ((now = dequeue())) {
        switches++;
        if (--now->left > 0)
            enqueue(now);
        else if (!found)
            found = now->name;
    }
    return found;
}

int main(int argc, char **argv) {
    char first;
    if (argc < 5)
        return 2;
    start(atoi(argv[1]), atoi(argv[2]));
    start(atoi(argv[3]), atoi(argv[4]));
    first = first_to_end();
    fprintf(stderr, "%d switches, %d idle\n", switches, idle);
    for (int k = 0; k < count; k++)
        fprintf(stderr, "%c waited %s\n", all[k].name, all[k].waited > 2 ? "long" : "not long");
    printf("%c\n", first);
    return 0;
}
