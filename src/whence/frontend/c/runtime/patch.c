/* What would have happened if this value, or this branch, had been another?  $WHENCE_PATCH
 * "STREAM:OFFSET:POINT:ACTION" changes one store or one branch of a run, once (numbers may be
 * decimal or 0x...; ACTION: flip, xor=HEX or set=HEX, bytes in memory order). */
enum patch_action { PATCH_NONE, PATCH_FLIP, PATCH_XOR, PATCH_SET };

static struct {
    enum patch_action action;
    uint64_t stream, offset, point;
    size_t size;
    unsigned char bytes[256];
} patch;

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static void read_patch(void)
{
    const char *text = getenv("WHENCE_PATCH");
    char *p;
    if (!text)
        return;
    patch.stream = strtoull(text, &p, 0);
    if (*p++ != ':')
        return;
    patch.offset = strtoull(p, &p, 0);
    if (*p++ != ':')
        return;
    patch.point = strtoull(p, &p, 0);
    if (*p++ != ':')
        return;
    if (strcmp(p, "flip") == 0) {
        patch.action = PATCH_FLIP;
    } else if (strncmp(p, "xor=", 4) == 0 || strncmp(p, "set=", 4) == 0) {
        patch.action = p[0] == 'x' ? PATCH_XOR : PATCH_SET;
        for (p += 4; hex_digit(p[0]) >= 0 && hex_digit(p[1]) >= 0; p += 2)
            if (patch.size < sizeof patch.bytes)
                patch.bytes[patch.size++] = (unsigned char)(hex_digit(p[0]) << 4 | hex_digit(p[1]));
    }
}

/* Is this the place?  Asked in the order that says no soonest. */
static int patch_here(uint64_t point)
{
    if (__builtin_expect(point != patch.point || patch.action == PATCH_NONE, 1))
        return 0;
    wh_room();
    return wh_log->number == patch.stream && wh_offset(wh_log) == patch.offset;
}

void wh_store(void *address, uint64_t bytes, uint64_t point)
{
    if (!patch_here(point) || patch.action == PATCH_FLIP)
        return;
    unsigned char *p = address;
    for (uint64_t i = 0; i < bytes && i < patch.size; i++)
        p[i] = patch.action == PATCH_XOR ? p[i] ^ patch.bytes[i] : patch.bytes[i];
    patch.action = PATCH_NONE;
}

/* The condition may come with anything in its upper bits. */
unsigned char wh_branch(unsigned char condition, uint64_t point)
{
    condition &= 1;
    if (patch_here(point) && patch.action == PATCH_FLIP) {
        patch.action = PATCH_NONE;
        condition ^= 1;
    }
    return condition;
}
