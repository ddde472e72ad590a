/* What would have happened if a value or a branch of this run had been another?
 *
 * $WHENCE_PATCH names interventions, separated by ';'.  Each is "STREAM:OFFSET:POINT:ACTION":
 * the number of the thread's log, the offset that the log had reached, and the operation.  Numbers
 * are decimal, or hexadecimal with 0x.  ACTION is one of
 *   flip              a conditional branch goes the other way
 *   always=SIDE       a conditional branch goes to this side, 0 or 1, each time from this offset on
 *   set=HEX, xor=HEX  a store leaves other bytes (in memory order); a switch gets another value
 *   keep=SLOT         remember the address that a store wrote to
 *   poke=SLOT+N=HEX   write bytes at N after that address
 *   poke@ADDRESS=HEX  write bytes at an address
 *   poke~ADDRESS=HEX  write bytes at an address of the recorded run
 *   move=SLOT+N=HEX, move~ADDRESS=HEX
 *                     as poke; the eight bytes are an address of the recorded run
 *   watch             report the value of the operation each time, from this offset on
 *   watch=address     the same; the value is an address, reported as one of the recorded run
 * A poke happens after the store, or before the branch, at its point.  Each intervention but a
 * watch or an always happens at most once in a process.
 *
 * $WHENCE_PATCH may begin with "places=A,B,C,D;": where the parts of memory lay in the recorded run,
 * as in places[].  An address of that run is moved as far as the part that it lies in.
 *
 * $WHENCE_REACHED names a file.  Each intervention that happened appends its number, counted
 * from 0, as a line to that file; a watch appends "NUMBER OFFSET HEX" each time.
 *
 * $WHENCE_PATCHED is NAME/N: only the Nth process whose program has this name, counted from 0,
 * is changed.  Without it every process is. */
enum patch_action {
    PATCH_NONE, PATCH_FLIP, PATCH_XOR, PATCH_SET, PATCH_KEEP, PATCH_POKE, PATCH_WATCH,
    PATCH_ALWAYS
};

#define MAX_PATCHES 256
#define MAX_PATCH_BYTES 65536 /* of all interventions together */
#define MAX_SLOTS 256
#define MAX_WATCHED 1000 /* reports of one watch; guessed */

struct patch {
    enum patch_action action; /* PATCH_NONE once it has happened */
    uint64_t stream, offset, point;
    uint64_t slot;    /* of a keep, or of a poke that has one; else MAX_SLOTS */
    uint64_t address; /* of a poke; relative to that of the slot, if it has one */
    uint64_t side;    /* of an always */
    int is_address;   /* of a poke or a watch: the value is an address */
    int is_recorded;  /* of a poke: its address is one of the recorded run */
    uint64_t times;   /* executions that a watch or an always was due at */
    size_t size;
    const unsigned char *bytes;
};

static struct patch patches[MAX_PATCHES];
static unsigned n_patches;
static unsigned char patch_bytes[MAX_PATCH_BYTES];
static size_t patch_bytes_used;
static uint64_t kept_addresses[MAX_SLOTS]; /* 0: not known yet */
static uint64_t recorded_places[N_PLACES]; /* 0: not known */
static char reached_path[4096];
static int is_patched; /* is this the process to change? */

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

/* Read a number that ends with `end`; return what follows it, or NULL. */
static const char *read_ended_number(const char *p, uint64_t *number, char end)
{
    char *after;
    *number = strtoull(p, &after, 0);
    if (after == p || (end && *after != end))
        return NULL;
    return end ? after + 1 : after;
}

static const char *read_poke(const char *p, struct patch *patch)
{
    patch->action = PATCH_POKE;
    patch->is_address = p[-4] == 'm';
    patch->is_recorded = *p == '~';
    if (*p == '=') {
        p = read_ended_number(p + 1, &patch->slot, '+');
        if (!p || patch->slot >= MAX_SLOTS)
            return NULL;
        p--; /* the sign is that of the number */
    }
    p = *p ? read_ended_number(p + 1, &patch->address, '=') : NULL;
    return p ? read_bytes(p, patch) : NULL;
}

/* Read one intervention at `p` and return what follows it; NULL if it is none. */
static const char *read_one_patch(const char *p, struct patch *patch)
{
    uint64_t *numbers[] = {&patch->stream, &patch->offset, &patch->point};
    patch->slot = MAX_SLOTS;
    for (int i = 0; i < 3 && p; i++)
        p = read_ended_number(p, numbers[i], ':');
    if (!p)
        return NULL;
    if (strncmp(p, "flip", 4) == 0) {
        patch->action = PATCH_FLIP;
        return p + 4;
    }
    if (strncmp(p, "watch", 5) == 0) {
        patch->action = PATCH_WATCH;
        patch->is_address = p[5] == '=';
        return p + (patch->is_address ? strlen("watch=address") : 5);
    }
    if (strncmp(p, "always=", 7) == 0) {
        patch->action = PATCH_ALWAYS;
        return read_ended_number(p + 7, &patch->side, 0);
    }
    if (strncmp(p, "keep=", 5) == 0) {
        patch->action = PATCH_KEEP;
        p = read_ended_number(p + 5, &patch->slot, 0);
        return patch->slot < MAX_SLOTS ? p : NULL;
    }
    if (strncmp(p, "poke", 4) == 0 || strncmp(p, "move", 4) == 0)
        return read_poke(p + 4, patch);
    if (strncmp(p, "xor=", 4) != 0 && strncmp(p, "set=", 4) != 0)
        return NULL;
    patch->action = p[0] == 'x' ? PATCH_XOR : PATCH_SET;
    return read_bytes(p + 4, patch);
}

static const char *program_name(void)
{
    const char *name = start_argv && start_argv[0] ? start_argv[0] : "";
    const char *slash = strrchr(name, '/');
    return slash ? slash + 1 : name;
}

/* Find out whether this process is the one to change: the first free file name tells how many
 * processes of this program came before. */
static void choose_process(void)
{
    const char *wanted = getenv("WHENCE_PATCHED"), *name = program_name();
    const char *slash = wanted ? strrchr(wanted, '/') : NULL;
    is_patched = 1;
    if (!slash || !reached_path[0] || !n_patches)
        return;
    is_patched = 0;
    if (strlen(name) != (size_t)(slash - wanted) || strncmp(name, wanted, strlen(name)) != 0)
        return;
    static char path[sizeof reached_path + 32];
    for (uint64_t n = 0; n < 1 << 16; n++) {
        append_number(append(append(path, reached_path), "."), n);
        int fd = sys_open(path, O_WRONLY | O_CREAT | O_EXCL);
        if (fd >= 0) {
            sys_close(fd);
            is_patched = n == strtoull(slash + 1, NULL, 10);
            return;
        }
    }
}

static const char *read_places(const char *p)
{
    for (int i = 0; i < N_PLACES && p; i++)
        p = read_ended_number(p, &recorded_places[i], i < N_PLACES - 1 ? ',' : ';');
    return p;
}

static void read_patch(void)
{
    const char *path = getenv("WHENCE_REACHED"), *p = getenv("WHENCE_PATCH");
    if (path && strlen(path) < sizeof reached_path)
        append(reached_path, path);
    if (p && strncmp(p, "places=", 7) == 0)
        p = read_places(p + 7);
    while (p && *p && n_patches < MAX_PATCHES) {
        p = read_one_patch(p, &patches[n_patches]);
        if (!p) {
            patches[n_patches] = (struct patch){.action = PATCH_NONE};
            break;
        }
        n_patches++;
        if (*p == ';')
            p++;
    }
    choose_process();
}

/* Append a line to the file of what happened: the number of a patch, and for a watch more. */
static void report(const struct patch *patch, const void *bytes, uint64_t size)
{
    if (!reached_path[0])
        return;
    int saved = errno; /* the program must not see that we wrote a file */
    int fd = sys_open(reached_path, O_WRONLY | O_CREAT | O_APPEND);
    char line[64 + 2 * 64];
    char *end = append_number(line, (uint64_t)(patch - patches));
    if (bytes) {
        const unsigned char *p = bytes;
        end = append(append_number(append(end, " "), wh_offset(wh_log)), " ");
        for (uint64_t i = 0; i < size && i < 64; i++) {
            *end++ = "0123456789abcdef"[p[i] >> 4];
            *end++ = "0123456789abcdef"[p[i] & 15];
        }
    }
    end = append(end, "\n");
    write_all(fd, line, (uint64_t)(end - line));
    sys_close(fd);
    errno = saved;
}

#define MAX_FAR (1ull << 40) /* no memory is farther from its place; more are other numbers; guessed */

/* Return what an address of one run is in another one: it is moved as far as the place that is
 * nearest to it.  What lies between the program and its heap belongs to the program. */
static uint64_t moved(uint64_t address, const uint64_t *from, const uint64_t *to)
{
    int nearest = -1;
    uint64_t least = MAX_FAR;
    for (int i = 0; i < N_PLACES; i++) {
        uint64_t far = address > from[i] ? address - from[i] : from[i] - address;
        if (i == PLACE_HEAP && address < from[i])
            continue;
        if (address && from[i] && to[i] && far < least) {
            least = far;
            nearest = i;
        }
    }
    return nearest < 0 ? address : address - from[nearest] + to[nearest];
}

static void report_value(const struct patch *patch, const unsigned char *bytes, uint64_t size)
{
    uint64_t value;
    if (patch->is_address && size == sizeof value) {
        memcpy(&value, bytes, sizeof value);
        value = moved(value, places, recorded_places);
        bytes = (const unsigned char *)&value;
    }
    report(patch, bytes, size);
}

static void poke(const struct patch *patch)
{
    uint64_t at = patch->address;
    if (patch->slot < MAX_SLOTS) {
        if (!kept_addresses[patch->slot])
            return; /* so it is not reached */
        at += kept_addresses[patch->slot];
    }
    if (patch->is_recorded)
        at = moved(at, recorded_places, places);
    uint64_t value;
    if (patch->is_address && patch->size == sizeof value) {
        memcpy(&value, patch->bytes, sizeof value);
        value = moved(value, recorded_places, places);
        memcpy((void *)at, &value, sizeof value);
    } else {
        memcpy((void *)at, patch->bytes, patch->size);
    }
    report(patch, NULL, 0);
}

/* Make the interventions that are due at this point of the thread's log.  `bytes` at `value` are
 * the value that the operation stores or decides by; `address` is where it was stored, or 0.
 * Return 1 if a branch is to go the other way.  The cheapest comparisons come first. */
static int make_patches(uint64_t point, unsigned char *value, uint64_t bytes, uint64_t address)
{
    int flips = 0;
    for (unsigned i = 0; i < n_patches; i++) {
        struct patch *patch = &patches[i];
        if (__builtin_expect(point != patch->point || patch->action == PATCH_NONE, 1))
            continue;
        wh_room();
        uint64_t offset = wh_offset(wh_log);
        if (!is_patched || wh_log->number != patch->stream)
            continue;
        if (patch->action == PATCH_WATCH) {
            if (offset >= patch->offset && patch->times++ < MAX_WATCHED)
                report_value(patch, value, bytes);
            continue;
        }
        if (patch->action == PATCH_ALWAYS) {
            if (offset >= patch->offset && bytes == 1 && value[0] != patch->side) {
                flips = 1;
                if (!patch->times++)
                    report(patch, NULL, 0);
            }
            continue;
        }
        if (offset != patch->offset)
            continue;
        enum patch_action action = patch->action;
        patch->action = PATCH_NONE;
        if (action == PATCH_POKE) {
            poke(patch);
            continue;
        }
        if (action == PATCH_FLIP)
            flips = 1;
        else if (action == PATCH_KEEP)
            kept_addresses[patch->slot] = address;
        else
            for (uint64_t k = 0; k < bytes && k < patch->size; k++)
                value[k] = action == PATCH_XOR ? value[k] ^ patch->bytes[k] : patch->bytes[k];
        report(patch, NULL, 0);
    }
    return flips;
}

/* Called after each store of a program that was built in mode `patch`. */
void wh_store(void *address, uint64_t bytes, uint64_t point)
{
    make_patches(point, address, bytes, (uint64_t)address);
}

/* Called before each conditional branch.  The upper bits of the condition are arbitrary. */
unsigned char wh_branch(unsigned char condition, uint64_t point)
{
    condition &= 1;
    return condition ^ (unsigned char)make_patches(point, &condition, 1, 0);
}

/* Called before each switch, with the value that decides. */
uint64_t wh_switch(uint64_t value, uint64_t point)
{
    make_patches(point, (unsigned char *)&value, sizeof value, 0);
    return value;
}
