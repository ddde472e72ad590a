/* The commands of a day.  What a group `begin ... end` did is taken back if one of its commands fails. */
#include "courier.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf failed;
static int depth;
static struct {
    int parcels;
    int depots;
    long paid;
} before[MOST_NESTED];
static long paid;
static int errors;

_Noreturn void fail(const char *format, ...)
{
    char text[120];
    va_list given;
    va_start(given, format);
    vsnprintf(text, sizeof text, format, given);
    va_end(given);
    say("error: %s\n", text);
    errors++;
    longjmp(failed, 1);
}

static enum service service_of(const char *word)
{
    for (int service = 0; service < SERVICE_COUNT; service++)
        if (strcmp(word, service_name(service)) == 0)
            return service;
    fail("no service %s", word);
}

static struct depot *known(const char *name)
{
    struct depot *depot = depot_find(name);
    if (!depot)
        fail("no depot %s", name);
    return depot;
}

static void extras(struct parcel *parcel, char *words)
{
    for (char *word = strtok(words, " \n"); word; word = strtok(NULL, " \n")) {
        int hour, minute;
        if (strcmp(word, "fragile") == 0) {
            parcel->is_fragile = 1;
        } else if (sscanf(word, "by=%d:%d", &hour, &minute) == 2) {
            parcel->extra = EXTRA_HOUR;
            parcel->with.at.hour = hour;
            parcel->with.at.minute = minute;
        } else if (strncmp(word, "value=", 6) == 0) {
            parcel->extra = EXTRA_VALUE;
            parcel->with.value = CENTS(atol(word + 6));
        } else {
            fail("no extra %s", word);
        }
    }
}

static void send(char *line)
{
    char service[NAME_SIZE], to[NAME_SIZE];
    int grams, read;
    if (sscanf(line, "send %23s %d %23s%n", service, &grams, to, &read) != 3)
        fail("what is sent?");
    struct parcel *parcel = parcel_add(service_of(service), grams, known(to));
    extras(parcel, line + read);
    parcel->cents = price_of(parcel);
    paid += parcel->cents;
}

static void begin(void)
{
    if (depth == MOST_NESTED)
        fail("too many groups");
    before[depth].parcels = parcels_count();
    before[depth].depots = depots_count();
    before[depth].paid = paid;
    depth++;
}

static void take_back(void)
{
    depth--;
    parcels_forget(before[depth].parcels);
    depots_forget(before[depth].depots);
    paid = before[depth].paid;
}

static void skip_group(void)
{
    char line[200];
    int inner = 1;
    while (inner && fgets(line, sizeof line, stdin)) {
        inner += strncmp(line, "begin", 5) == 0;
        inner -= strncmp(line, "end", 3) == 0;
    }
}

static void command(char *line)
{
    char name[NAME_SIZE], word[NAME_SIZE];
    int one, two;
    if (sscanf(line, "depot %23s %d %d", name, &one, &two) == 3)
        depot_add(name, one, two);
    else if (sscanf(line, "price %23s %d %d", word, &one, &two) == 3)
        price_set(service_of(word), one, two);
    else if (strncmp(line, "send ", 5) == 0)
        send(line);
    else if (strncmp(line, "begin", 5) == 0)
        begin();
    else if (strncmp(line, "end", 3) == 0 && depth)
        depth--;
    else if (strncmp(line, "bill", 4) == 0)
        bill();
    else if (sscanf(line, "plan %d", &one) == 1)
        plan(one);
    else if (sscanf(line, "arrived %23s", name) == 1)
        say("%s: %d\n", name, known(name)->arrived);
    else if (strncmp(line, "paid", 4) == 0)
        say("paid: %c\n", paid);
    else
        fail("what is %s?", strtok(line, " \n"));
}

int script(void)
{
    static char line[200];
    if (setjmp(failed) && depth) {
        take_back();
        skip_group();
    }
    while (fgets(line, sizeof line, stdin))
        if (line[0] != '\n' && line[0] != '#')
            command(line);
    return errors;
}

int main(void)
{
    return script() > 3 ? 1 : 0;
}
