// Threads: create and join with results, a mutex, a condition, thread-local data, atomics, exit.
// flags: -pthread
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { THREADS = 4, ROUNDS = 1000 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long guarded, turn;
static atomic_long counted;
static _Thread_local long own;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static int initialised;
static void initialise(void) { initialised++; }

static void *work(void *argument) {
    long number = (long)argument;
    pthread_once(&once, initialise);
    for (int i = 0; i < ROUNDS; i++) {
        own += number, counted++;
        pthread_mutex_lock(&lock);
        guarded += number;
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    while (turn != number) pthread_cond_wait(&changed, &lock); // so that the order is fixed
    printf("thread %ld own %ld\n", number, own);
    turn++;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    if (number == 2) pthread_exit((void *)100);
    return (void *)(number * 10);
}

int main(void) {
    pthread_t threads[THREADS];
    for (long i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, (void *)i);
    long results = 0;
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        results += (long)result;
    }
    printf("%ld %ld %ld %ld %d\n", guarded, (long)counted, results, own, initialised);
    return 0;
}
