/* What would have happened if a value or a branch of this run had been another?
 *
 * $WHENCE_PATCH names interventions, separated by ';'.  Each is "STREAM:OFFSET:POINT:ACTION":
 * the number of the thread's log, the offset that the log had reached, and the operation.
 * ACTION is flip (a branch), xor=HEX or set=HEX (a store; bytes in memory order).  Numbers are
 * decimal, or hexadecimal with 0x.  Each intervention happens at most once in a process.
 *
 * $WHENCE_REACHED names a file.  Each intervention that happened appends its number, counted
 * from 0, as a line to that file. */
enum patch_action { PATCH_NONE, PATCH_FLIP, PATCH_XOR, PATCH_SET };

#define MAX_PATCHES 256
#define MAX_PATCH_BYTES 65536 /* of all interventions together */

struct patch {
    enum patch_action action; /* PATCH_NONE once it has happened */
    uint64_t stream, offset, point;
    size_t size;
    const unsigned char *bytes;
};

static struct patch patches[MAX_PATCHES];
static unsigned n_patches;
static unsigned char patch_bytes[MAX_PATCH_BYTES];
static size_t patch_bytes_used;
static char reached_path[4096];

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return (c | 32) >= 'a' && (c | 32) <= 'f' ? (c | 32) - 'a' + 10 : -1;
}

static const char *read_bytes(const char *p, struct patch *patch)
{
    patch->bytes = patch_bytes + patch_bytes_used;
    for (; hex_digit(p[0]) >= 0 && hex_digit(p[1]) >= 0; p += 2)
        if (patch_bytes_used < MAX_PATCH_BYTES) {
            patch_bytes[patch_bytes_used++] =
                (unsigned char)(hex_digit(p[0]) << 4 | hex_digit(p[1]));
            patch->size++;
        }
    return p;
}

/* Read one intervention at `p` and return what follows it; NULL if it is none. */
static const char *read_one_patch(const char *p, struct patch *patch)
{
    uint64_t *numbers[] = {&patch->stream, &patch->offset, &patch->point};
    for (int i = 0; i < 3; i++) {
        char *end;
        *numbers[i] = strtoull(p, &end, 0);
        if (*end != ':')
            return NULL;
        p = end + 1;
    }
    if (strncmp(p, "flip", 4) == 0) {
        patch->action = PATCH_FLIP;
        return p + 4;
    }
    if (strncmp(p, "xor=", 4) != 0 && strncmp(p, "set=", 4) != 0)
        return NULL;
    patch->action = p[0] == 'x' ? PATCH_XOR : PATCH_SET;
    return read_bytes(p + 4, patch);
}

static void read_patch(void)
{
    const char *path = getenv("WHENCE_REACHED"), *p = getenv("WHENCE_PATCH");
    if (path && strlen(path) < sizeof reached_path)
        append(reached_path, path);
    while (p && *p && n_patches < MAX_PATCHES) {
        p = read_one_patch(p, &patches[n_patches]);
        if (!p) {
            patches[n_patches] = (struct patch){.action = PATCH_NONE};
            return;
        }
        n_patches++;
        if (*p == ';')
            p++;
    }
}

/* Return the intervention that is due at this point of the thread's log; NULL if there is none.
 * The cheapest comparisons come first. */
static struct patch *patch_due(uint64_t point)
{
    for (unsigned i = 0; i < n_patches; i++) {
        if (__builtin_expect(point != patches[i].point || patches[i].action == PATCH_NONE, 1))
            continue;
        wh_room();
        if (wh_log->number == patches[i].stream && wh_offset(wh_log) == patches[i].offset)
            return &patches[i];
    }
    return NULL;
}

static void patch_happened(struct patch *patch)
{
    patch->action = PATCH_NONE;
    if (!reached_path[0])
        return;
    int saved = errno; /* the program must not see that we wrote a file */
    int fd = sys_open(reached_path, O_WRONLY | O_CREAT | O_APPEND);
    char line[32];
    char *end = append(append_number(line, (uint64_t)(patch - patches)), "\n");
    write_all(fd, line, (uint64_t)(end - line));
    sys_close(fd);
    errno = saved;
}

/* Called after each store of a program that was built in mode `patch`. */
void wh_store(void *address, uint64_t bytes, uint64_t point)
{
    struct patch *patch = patch_due(point);
    if (!patch || patch->action == PATCH_FLIP)
        return;
    unsigned char *p = address;
    for (uint64_t i = 0; i < bytes && i < patch->size; i++)
        p[i] = patch->action == PATCH_XOR ? p[i] ^ patch->bytes[i] : patch->bytes[i];
    patch_happened(patch);
}

/* Called before each conditional branch.  The upper bits of the condition are arbitrary. */
unsigned char wh_branch(unsigned char condition, uint64_t point)
{
    condition &= 1;
    struct patch *patch = patch_due(point);
    if (patch && patch->action == PATCH_FLIP) {
        patch_happened(patch);
        condition ^= 1;
    }
    return condition;
}
