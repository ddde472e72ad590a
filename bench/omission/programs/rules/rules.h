/* rules: decides which commands of a rule file have to run, and prints them. */
#ifndef RULES_H
#define RULES_H

#include <stddef.h>

#define UNKNOWN_TIME (-1L)
#define NO_FILE 0L

enum state { NOT_STARTED, RUNNING, FINISHED };

struct dep {
    struct dep *next;
    struct file *file;
    int changed;
    int order_only;
};

struct commands {
    int line;
    int count;
    char **lines;
};

struct file {
    struct file *next; /* in its bucket */
    char *name;
    struct dep *deps;
    struct commands *cmds;
    char *stem;
    long mtime;
    enum state state;
    unsigned int phony : 1;
    unsigned int precious : 1;
    unsigned int silent : 1;
    unsigned int is_target : 1;
    unsigned int updating : 1;
    unsigned int updated : 1;
    unsigned int intermediate : 1;
    int failed;
};

struct pattern {
    struct pattern *next;
    char *target, *dep; /* texts with one % */
    struct commands *cmds;
    int in_use;
};

/* util.c */
void *xmalloc(size_t size);
char *xstrdup(const char *text);
char *xstrndup(const char *text, size_t length);
char *next_word(char **at);
char *trim(char *text);
void fatal(int line, const char *message, const char *about);

/* files.c */
struct file *lookup_file(const char *name);
struct file *enter_file(const char *name);
void each_file(void (*visit)(struct file *file));
void set_disk_time(const char *name, long time);
long disk_time(const char *name);
void snap_deps(void);
struct dep *new_dep(const char *name, int order_only);
void append_deps(struct file *file, struct dep *deps);

/* variables.c */
void define_variable(const char *name, const char *value, int append);
char *expand(const char *text, const struct file *file);

/* read.c */
struct pattern *first_pattern(void);
const char *default_goal(void);
void read_rules(void);

/* update.c */
int update_goal(const char *name);
int implicit_rule(struct file *file, int depth);

/* job.c */
struct counters {
    int commands, silent, files, kept;
};
extern struct counters counters;
extern int dry_run, always, question;
int run_commands(struct file *file);

#endif
