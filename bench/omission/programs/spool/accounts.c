#include "spool.h"

#include <stdio.h>
#include <string.h>

#define PAGE_PRICE 4
#define COLOUR_PRICE 10
#define URGENT_PERCENT 50

int find_user(struct spooler *spooler, const char *name)
{
    struct user *user;

    for (int i = 0; i < spooler->user_count; i++) {
        if (strcmp(spooler->users[i].name, name) == 0)
            return i;
    }
    if (spooler->user_count == MAX_USERS)
        return -1;
    user = &spooler->users[spooler->user_count];
    snprintf(user->name, NAME_SIZE, "%s", name);
    user->budget = 100;
    user->spent = 0;
    user->jobs = 0;
    return spooler->user_count++;
}

int price(const struct job *job)
{
    int each = PAGE_PRICE;
    int total;

    if (job->flags & IS_COLOUR)
        each = COLOUR_PRICE;
    total = each * job->pages;
    if (job->flags & IS_DUPLEX)
        total -= job->pages / 2;
    if (job->flags & IS_URGENT)
        total += total * URGENT_PERCENT / 100;
    return total;
}

int can_pay(const struct user *user, int amount)
{
    return user->spent + amount <= user->budget;
}

void charge(struct user *user, int amount)
{
    user->spent += amount;
    user->jobs++;
}

void refund(struct spooler *spooler, struct job *job)
{
    struct user *user = &spooler->users[job->user];
    int amount = price(job);

    if (job->left < job->pages)
        amount = amount * job->left / job->pages;
    user->spent -= amount;
    if (user->spent < 0)
        user->spent = 0;
}
