/* Says which of two hands of five cards wins; a line has ten cards, such as "Th" for the ten of hearts. */
#include <stdio.h>
#include <string.h>

#define CARDS 5
#define RANKS 13

enum rank { HIGH, PAIR, TWO_PAIRS, THREE, STRAIGHT, FLUSH, FULL, FOUR, STRAIGHT_FLUSH };

struct card {
    int value;
    char suit;
};

struct hand {
    struct card cards[CARDS];
    int counts[RANKS];
    enum rank rank;
    int order[CARDS];
    int ordered;
};

static const char *names[] = {"high card", "pair", "two pairs", "three of a kind", "straight",
                              "flush", "full house", "four of a kind", "straight flush"};
static const char values[] = "23456789TJQKA";
static const char suits[] = "cdhs";

static int read_card(const char *word, struct card *card)
{
    const char *value = strchr(values, word[0]);

    if (!word[0] || !word[1] || word[2] || value == NULL || strchr(suits, word[1]) == NULL)
        return 0;
    card->value = (int)(value - values);
    card->suit = word[1];
    return 1;
}

static void count(struct hand *hand)
{
    memset(hand->counts, 0, sizeof hand->counts);
    for (int i = 0; i < CARDS; i++)
        hand->counts[hand->cards[i].value]++;
}

static int with_count(const struct hand *hand, int wanted)
{
    int found = 0;

    for (int value = 0; value < RANKS; value++)
        if (hand->counts[value] == wanted)
            found++;
    return found;
}

static int is_flush(const struct hand *hand)
{
    for (int i = 1; i < CARDS; i++)
        if (hand->cards[i].suit != hand->cards[0].suit)
            return 0;
    return 1;
}

/* The highest value of a straight, or -1; an ace may be the lowest card. */
static int straight_top(const struct hand *hand)
{
    int run = hand->counts[RANKS - 1] == 1 ? 1 : 0;

    for (int value = 0; value < RANKS; value++) {
        run = hand->counts[value] == 1 ? run + 1 : 0;
        if (run == CARDS)
            return value;
    }
    return -1;
}

static void put_in_order(struct hand *hand)
{
    hand->ordered = 0;
    for (int times = 4; times >= 1; times--)
        for (int value = RANKS - 1; value >= 0; value--)
            if (hand->counts[value] == times)
                hand->order[hand->ordered++] = value;
}

static void judge(struct hand *hand)
{
    int top, flush = is_flush(hand);

    count(hand);
    put_in_order(hand);
    top = straight_top(hand);
    if (top >= 0 && flush)
        hand->rank = STRAIGHT_FLUSH;
    else if (with_count(hand, 4) == 1)
        hand->rank = FOUR;
    else if (with_count(hand, 3) == 1 && with_count(hand, 2) == 1)
        hand->rank = FULL;
    else if (flush)
        hand->rank = FLUSH;
    else if (top >= 0)
        hand->rank = STRAIGHT;
    else if (with_count(hand, 3) == 1)
        hand->rank = THREE;
    else if (with_count(hand, 2) == 2)
        hand->rank = TWO_PAIRS;
    else if (with_count(hand, 2) == 1)
        hand->rank = PAIR;
    else
        hand->rank = HIGH;
    if (top >= 0) {
        hand->order[0] = top;
        hand->ordered = 1;
    }
}

static int compare(const struct hand *one, const struct hand *other)
{
    if (one->rank != other->rank)
        return one->rank > other->rank ? 1 : -1;
    for (int i = 0; i < one->ordered; i++)
        if (one->order[i] != other->order[i])
            return one->order[i] > other->order[i] ? 1 : -1;
    return 0;
}

static int has_twice(const struct hand *one, const struct hand *other)
{
    for (int i = 0; i < 2 * CARDS; i++)
        for (int j = i + 1; j < 2 * CARDS; j++) {
            const struct card *a = i < CARDS ? &one->cards[i] : &other->cards[i - CARDS];
            const struct card *b = j < CARDS ? &one->cards[j] : &other->cards[j - CARDS];
            if (a->value == b->value && a->suit == b->suit)
                return 1;
        }
    return 0;
}

static int play(char *line, int wins[2])
{
    struct hand hands[2];
    char *word = strtok(line, " \n");
    int result;

    for (int i = 0; i < 2 * CARDS; i++) {
        if (word == NULL || !read_card(word, &hands[i / CARDS].cards[i % CARDS]))
            return 0;
        word = strtok(NULL, " \n");
    }
    if (word != NULL || has_twice(&hands[0], &hands[1]))
        return 0;
    judge(&hands[0]);
    judge(&hands[1]);
    result = compare(&hands[0], &hands[1]);
    if (result != 0)
        wins[result > 0 ? 0 : 1]++;
    printf("%s against %s: %s\n", names[hands[0].rank], names[hands[1].rank],
           result > 0 ? "first" : result < 0 ? "second" : "equal");
    return 1;
}

int main(void)
{
    char line[80];
    int wins[2] = {0, 0}, wrong = 0;

    while (fgets(line, sizeof line, stdin))
        if (!play(line, wins))
            wrong++;
    printf("%d to %d, %d wrong\n", wins[0], wins[1], wrong);
    return 0;
}
