/* A month of accounts: transfers, fees for low balances, interest by tiers. */
#include <stdio.h>
#include <string.h>

#define MAX_ACCOUNTS 8
#define MAX_NAME 16

struct account {
    char name[MAX_NAME];
    long balance; /* cents */
    int is_low, fees;
};

struct bank {
    struct account accounts[MAX_ACCOUNTS];
    int used;
    long kept; /* what the bank earned */
};

struct tier {
    long from;
    int per_mille;
};

static const struct tier tiers[] = {{0, 0}, {50000, 4}, {100000, 9}, {500000, 15}};

static struct account *find(struct bank *bank, const char *name)
{
    for (int i = 0; i < bank->used; i++)
        if (strcmp(bank->accounts[i].name, name) == 0)
            return &bank->accounts[i];
    return NULL;
}

static struct account *open_account(struct bank *bank, const char *name, long first)
{
    struct account *made = &bank->accounts[bank->used++];
    strncpy(made->name, name, MAX_NAME - 1);
    made->balance = first;
    return made;
}

static int transfer(struct bank *bank, const char *from, const char *to, long amount)
{
    struct account *payer = find(bank, from);
    struct account *payee = find(bank, to);
    if (!payer || !payee)
        return -1;
    if (payer->balance < amount) {
        payer->fees++;
        return 1;
    }
    payer->balance -= amount;
    payee->balance += amount;
    return 0;
}

static int rate(long balance)
{
    int found = 0;
    for (size_t i = 0; i < sizeof tiers / sizeof *tiers; i++)
        if (balance @{>|>=} tiers[i].from)
            found = tiers[i].per_mille;
    return found;
}

static void add_interest(struct bank *bank)
{
    for (int i = 0; i < bank->used; i++) {
        struct account *account = &bank->accounts[i];
        long interest = account->balance * rate(account->balance) / 1000;
        account->balance += interest;
        bank->kept -= interest;
    }
}

static void take_fees(struct bank *bank, long each)
{
    for (int i = 0; i < bank->used; i++) {
        struct account *account = &bank->accounts[i];
        long fee = account->fees * each;
        if (fee > account->balance)
            fee = account->balance;
        account->balance -= fee;
        bank->kept += fee;
        account->is_low = account->balance < 1000;
    }
}

int main(void)
{
    static struct bank bank;
    open_account(&bank, "ada", 130000);
    open_account(&bank, "bob", 40000);
    open_account(&bank, "cyd", 700);
    transfer(&bank, "ada", "bob", 30000);
    transfer(&bank, "cyd", "ada", 5000);
    transfer(&bank, "bob", "cyd", 2500);
    add_interest(&bank);
    take_fees(&bank, 150);
    long all = 0;
    int low = 0;
    for (int i = 0; i < bank.used; i++) {
        all += bank.accounts[i].balance;
        low += bank.accounts[i].is_low;
    }
    printf("%d low accounts\n", low);
    printf("all %ld, kept %ld\n", all, bank.kept);
    return 0;
}
