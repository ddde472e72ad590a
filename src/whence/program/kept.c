/* Which number stands for these bytes, for whoever has the key?

   Eight bytes at a time are multiplied to 128 bits with a part of the key, in four lanes (as wyhash
   does).  Without the key nobody can say which other bytes have the same number. */
#include <stdint.h>
#include <string.h>

typedef uint64_t u64;
#define EXPORT __attribute__((visibility("default")))
enum { LANES = 4, LANE = 16 };  /* bytes that a lane takes at a time */

static u64 mixed(u64 a, u64 b) {
    unsigned __int128 product = (unsigned __int128)a * b;
    return (u64)product ^ (u64)(product >> 64);
}

static u64 word(const uint8_t *at) {
    u64 found;
    memcpy(&found, at, sizeof found);
    return found;
}

/* `key` has 2 * LANES words; `seed` is the number of what went before. */
EXPORT u64 wh_keyed(const uint8_t *data, u64 size, const u64 *key, u64 seed) {
    u64 lanes[LANES];
    for (int k = 0; k < LANES; k++) lanes[k] = seed ^ key[k];
    const uint8_t *at = data;
    u64 left = size;
    for (; left >= LANES * LANE; left -= LANES * LANE, at += LANES * LANE)
        for (int k = 0; k < LANES; k++)
            lanes[k] = mixed(word(at + k * LANE) ^ key[k], word(at + k * LANE + 8) ^ lanes[k]) + key[LANES + k];
    uint8_t last[LANES * LANE] = {0};
    if (left) memcpy(last, at, left);
    u64 found = mixed(size ^ key[0], seed ^ key[LANES]);
    for (int k = 0; k < LANES; k++) {
        lanes[k] = mixed(word(last + k * LANE) ^ key[k], word(last + k * LANE + 8) ^ lanes[k]) + key[LANES + k];
        found = mixed(found ^ lanes[k], key[LANES + k] | 1);
    }
    return found;
}
