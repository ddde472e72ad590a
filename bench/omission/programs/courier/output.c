/* What is printed: bills and plans. */
#include "courier.h"

#include <stdio.h>
#include <string.h>

/* Print %s, %d, %c (cents) and %w (a weight in grams). */
void say(const char *format, ...)
{
    va_list given;
    va_start(given, format);
    for (const char *at = format; *at; at++) {
        if (*at != '%') {
            putchar(*at);
            continue;
        }
        switch (*++at) {
        case 's':
            fputs(va_arg(given, const char *), stdout);
            break;
        case 'd':
            printf("%d", va_arg(given, int));
            break;
        case 'c': {
            long cents = va_arg(given, long);
            printf("%ld.%02ld", cents / 100, cents % 100);
            break;
        }
        case 'w': {
            int grams = va_arg(given, int);
            if (grams < 1000)
                printf("%d g", grams);
            else
                printf("%d.%d kg", grams / 1000, grams % 1000 / 100);
            break;
        }
        default:
            putchar(*at);
        }
    }
    va_end(given);
}

struct billed {
    struct sums all;
    struct sums of_service[SERVICE_COUNT];
    struct sums fragile;
};

static void add(struct sums *sums, const struct parcel *parcel)
{
    sums->cents += parcel->cents;
    sums->parcels++;
}

static void bill_parcel(const struct parcel *parcel, void *context)
{
    struct billed *billed = context;
    say("%d %s to %s, %w: %c\n", (int)parcel->number, service_name(parcel->service), parcel->to,
        parcel->grams, parcel->cents);
    add(&billed->all, parcel);
    add(&billed->of_service[parcel->service], parcel);
    if (parcel->is_fragile)
        add(&billed->fragile, parcel);
}

static void count_arrived(const struct parcel *parcel, void *context)
{
    (void)context;
    depot_find(parcel->to)->arrived++;
}

void bill(void)
{
    struct billed billed;
    memset(&billed, 0, sizeof billed);
    parcels_visit(bill_parcel, &billed);
    for (int service = 0; service < SERVICE_COUNT; service++) {
        const struct sums *sums = &billed.of_service[service];
        if (sums->parcels)
            say("%s: %d for %c\n", service_name(service), sums->parcels, sums->cents);
    }
    say("fragile: %d for %c\n", billed.fragile.parcels, billed.fragile.cents);
    say("all: %d for %c\n", billed.all.parcels, billed.all.cents);
}

void plan(int vans)
{
    struct parcel *sorted[MOST_PARCELS];
    int loaded[MOST_DEPOTS] = {0};
    parcels_sort(sorted);
    parcels_visit(count_arrived, NULL);
    for (int index = 0; index < parcels_count(); index++) {
        int lightest = 0;
        for (int van = 1; van < vans; van++)
            if (loaded[van] < loaded[lightest])
                lightest = van;
        loaded[lightest] += sorted[index]->grams;
        sorted[index]->van = lightest + 1;
        say("%d: van %d, %s\n", (int)sorted[index]->number, lightest + 1, sorted[index]->to);
    }
    for (int van = 0; van < vans; van++)
        say("van %d: %w\n", van + 1, loaded[van]);
}
