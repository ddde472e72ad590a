#ifndef ARCHIVE_H
#define ARCHIVE_H

#include <stddef.h>

#define NAME_SIZE 32
#define PATH_SIZE 128
#define CHUNK 24
#define OWNERS 17

enum kind { KIND_NONE, KIND_FILE, KIND_DIR, KIND_LINK, KIND_DELETE, KIND_RENAME, KIND_END };

enum flag { FLAG_HIDDEN = 1, FLAG_EXEC = 2, FLAG_PACKED = 4, FLAG_PINNED = 8 };

/* The source of the archive: a descriptor that is read in chunks. */
struct reader {
    int fd;
    char chunk[CHUNK];
    int used;
    int filled;
    int line;
    int is_at_end;
    int has_pushed;
    char pushed;
};

/* What a header says. */
struct entry {
    enum kind kind;
    char path[PATH_SIZE];
    char target[PATH_SIZE];
    char owner[NAME_SIZE];
    int mode;
    int size;
    int flags;
    long stamp;
    unsigned sum;
    int has_sum;
};

/* A file, a folder or a link of the tree. */
struct node {
    char name[NAME_SIZE];
    enum kind kind;
    int mode;
    int flags;
    int size;
    long stamp;
    struct owner *owner;
    char *data;
    char target[PATH_SIZE];
    struct node *parent;
    struct node *children;
    struct node *next;
};

struct owner {
    char name[NAME_SIZE];
    int files;
    int bytes;
    int quota;
    int is_over;
    struct owner *next;
};

struct totals {
    int files;
    int dirs;
    int links;
    int bytes;
    int hidden;
    int depth;
    int widths[4];
    long newest;
};

struct options {
    int is_verbose;
    int shows_hidden;
    int shows_sums;
    int follows;
    const char *only_owner;
};

extern struct options options;
extern int warnings;
extern const char *problem;

/* reader.c */
void reader_open(struct reader *reader, int fd);
int reader_byte(struct reader *reader);
void reader_push(struct reader *reader, int byte);
int reader_line(struct reader *reader, char *line, int size);
int reader_bytes(struct reader *reader, char *to, int count);

/* header.c */
int header_parse(const char *line, struct entry *entry);
const char *kind_name(enum kind kind);

/* tree.c */
struct node *tree_new(void);
struct node *tree_find(struct node *root, const char *path);
struct node *tree_add(struct node *root, const struct entry *entry, char *data);
int tree_delete(struct node *root, const char *path);
int tree_rename(struct node *root, const char *path, const char *target);
struct node *tree_resolve(struct node *root, struct node *node);
void tree_count(const struct node *node, struct totals *totals, int depth);

/* owners.c */
struct owner *owner_get(const char *name);
void owner_charge(struct owner *owner, const struct node *node, int sign);
void owner_quota(const char *name, int quota);
int owners_over(void);
void owners_print(void);

/* report.c */
void warn(const char *text, const char *name);
unsigned checksum(const char *data, int size);
void report_tree(struct node *root);
void report_totals(struct node *root);

#endif
