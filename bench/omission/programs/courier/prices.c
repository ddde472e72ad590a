/* What a parcel costs. */
#include "courier.h"

struct price {
    int base;
    int per_unit;
    int unit; /* in grams */
};

static struct price prices[SERVICE_COUNT] = {
    [SERVICE_LETTER] = {80, 20, 50},
    [SERVICE_BOX] = {390, 110, 1000},
    [SERVICE_PALLET] = {4900, 700, 25000},
};

void price_set(enum service service, int base, int per_unit)
{
    prices[service].base = base;
    prices[service].per_unit = per_unit;
}

static long insured(const struct parcel *parcel)
{
    long cents = 0;
#ifdef WITH_INSURANCE
    if (parcel->extra == EXTRA_VALUE)
        cents = UNITS(parcel->with.value, CENTS(50)) * 45;
#endif
    return cents;
}

static long hurried(const struct parcel *parcel)
{
    if (parcel->extra != EXTRA_HOUR)
        return 0;
    int minutes = parcel->with.at.hour * 60 + parcel->with.at.minute;
    return minutes < 9 * 60 ? 1500 : minutes < 12 * 60 ? 800 : 300;
}

long price_of(const struct parcel *parcel)
{
    const struct price *price = &prices[parcel->service];
    int packing = parcel->is_fragile ? 350 : 20;
    long units = UNITS(parcel->grams + packing, price->unit);
    long cents = price->base + units * price->per_unit;
    cents += cents * parcel->zone / 50;
    return cents + insured(parcel) + hurried(parcel);
}
