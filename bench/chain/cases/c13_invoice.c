#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Reads lines "kind quantity price" and prints an invoice with discounts and taxes. */

enum kind { BOOK, FOOD, OTHER, KINDS };

struct item {
    enum kind kind;
    int quantity;
    int price; /* in cents */
};

struct rule {
    int minimum; /* quantity from which the discount applies */
    int percent;
};

static const struct rule rules[KINDS] = {{10, 5}, {@{2|20}, 10}, {50, 20}};
static const int taxes[KINDS] = {7, 7, 19};

static const char *const sample[] = {
    "book 3 1250", "food 12 199", "other 1 4999", "# a remark", "food 4 250", NULL,
};

static enum kind kind_of(const char *word) {
    if (strcmp(word, "book") == 0)
        return BOOK;
    if (strcmp(word, "food") == 0)
        return FOOD;
    return OTHER;
}

static int parse(const char *line, struct item *item) {
    char word[16];
    int quantity, price;
    if (line[0] == '#')
        return 0;
    if (sscanf(line, "%15s %d %d", word, &quantity, &price) != 3)
        return 0;
    item->kind = kind_of(word);
    item->quantity = quantity;
    item->price = price;
    return 1;
}

static int discount(const struct item *item, int amount) {
    const struct rule *rule = &rules[item->kind];
    if (item->quantity < rule->minimum)
        return 0;
    return amount * rule->percent / 100;
}

static int tax(const struct item *item, int amount) {
    return (amount * taxes[item->kind] + 50) / 100;
}

int main(void) {
    struct item items[8];
    int count = 0;
    for (int i = 0; sample[i]; i++)
        if (parse(sample[i], &items[count]))
            count++;
    int net = 0, taxed = 0, saved = 0;
    for (int i = 0; i < count; i++) {
        int amount = items[i].quantity * items[i].price;
        int less = discount(&items[i], amount);
        saved += less;
        amount -= less;
        net += amount;
        taxed += tax(&items[i], amount);
    }
    printf("%d items\n", count);
    printf("net %d.%02d\n", net / 100, net % 100);
    printf("total %d.%02d\n", (net + taxed) / 100, (net + taxed) % 100);
    return 0;
}
