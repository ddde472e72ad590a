/* Books the lines of a ledger: `+ ann 20` pays in, `- ann 5` pays out, `> ann bob 5` moves money, and
   `% 3` is the end of a month with an interest rate. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_ACCOUNTS 8
#define FEE 2
#define FREE_BOOKINGS 2

struct account {
    char name[16];
    int balance;
    int limit;
    int bookings;
    int refused;
};

static struct account accounts[MAX_ACCOUNTS];
static int n_accounts;

static struct account *find(const char *name)
{
    for (int i = 0; i < n_accounts; i++)
        if (strcmp(accounts[i].name, name) == 0)
            return &accounts[i];
    return NULL;
}

static struct account *open_account(const char *name)
{
    struct account *account = find(name);
    if (account != NULL || n_accounts == MAX_ACCOUNTS)
        return account;
    account = &accounts[n_accounts++];
    strncpy(account->name, name, sizeof account->name - 1);
    account->limit = name[0] >= 'n' ? 10 : 0;
    return account;
}

static void pay_in(struct account *account, int amount)
{
    account->balance += amount;
    account->bookings++;
}

static int pay_out(struct account *account, int amount)
{
    if (amount > account->balance + account->limit) {
        account->refused++;
        return 0;
    }
    account->balance -= amount;
    account->bookings++;
    return 1;
}

static void move_money(const char *from, const char *to, int amount)
{
    struct account *source = find(from), *target = open_account(to);
    if (source == NULL || target == NULL || source == target)
        return;
    if (pay_out(source, amount))
        pay_in(target, amount);
}

static int interest(const struct account *account, int rate)
{
    if (account->balance <= 0)
        return 0;
    int whole = account->balance * rate / 100;
    return whole > 50 ? 50 : whole;
}

static int fees(const struct account *account)
{
    int paid = account->bookings - FREE_BOOKINGS;
    if (paid < 0)
        paid = 0;
    return paid * FEE;
}

static void end_month(int rate)
{
    for (int i = 0; i < n_accounts; i++) {
        struct account *account = &accounts[i];
        account->balance += interest(account, rate);
        account->balance -= fees(account);
        account->bookings = 0;
    }
}

static void book(char *line)
{
    char first[16], second[16];
    int amount;
    if (sscanf(line, "+ %15s %d", first, &amount) == 2) {
        struct account *account = open_account(first);
        if (account != NULL && amount > 0)
            pay_in(account, amount);
    } else if (sscanf(line, "- %15s %d", first, &amount) == 2) {
        struct account *account = find(first);
        if (account != NULL && amount > 0)
            pay_out(account, amount);
    } else if (sscanf(line, "> %15s %15s %d", first, second, &amount) == 3) {
        if (amount > 0)
            move_money(first, second, amount);
    } else if (sscanf(line, "%% %d", &amount) == 1) {
        end_month(amount);
    }
}

int main(void)
{
    char line[80];
    while (fgets(line, sizeof line, stdin) != NULL)
        book(line);
    for (int i = 0; i < n_accounts; i++) {
        printf("%s %d%s\n", accounts[i].name, accounts[i].balance,
               accounts[i].balance < 0 ? " overdrawn" : "");
        if (accounts[i].refused > 0)
            printf("  refused: %d\n", accounts[i].refused);
    }
    return 0;
}
