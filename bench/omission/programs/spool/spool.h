#ifndef SPOOL_H
#define SPOOL_H

#define NAME_SIZE 24
#define MAX_JOBS 64
#define MAX_PRINTERS 8
#define MAX_USERS 16

enum state { STATE_FREE, STATE_WAITING, STATE_HELD, STATE_PRINTING, STATE_DONE, STATE_CANCELLED };
enum verb { VERB_NONE, VERB_PRINTER, VERB_JOB, VERB_HOLD, VERB_RELEASE, VERB_CANCEL, VERB_TICK, VERB_BUDGET, VERB_REPORT };

#define IS_DUPLEX 1
#define IS_COLOUR 2
#define IS_URGENT 4

struct user {
    char name[NAME_SIZE];
    int budget;
    int spent;
    int jobs;
};

struct printer {
    char name[NAME_SIZE];
    int speed;
    int warmup;
    int ready_at;
    int current;
    int printed;
};

struct job {
    int id;
    enum state state;
    int user;
    int printer;
    int pages;
    int left;
    int priority;
    int flags;
    int submitted;
    int finished;
};

struct command {
    enum verb verb;
    int count;
    char words[5][NAME_SIZE];
    int numbers[5];
};

struct spooler {
    int now;
    int job_count;
    int printer_count;
    int user_count;
    int rejected;
    struct job jobs[MAX_JOBS];
    struct printer printers[MAX_PRINTERS];
    struct user users[MAX_USERS];
};

/* parse.c */
int read_command(const char *line, struct command *command);
int flags_of(const char *text);

/* accounts.c */
int find_user(struct spooler *spooler, const char *name);
int price(const struct job *job);
int can_pay(const struct user *user, int amount);
void charge(struct user *user, int amount);
void refund(struct spooler *spooler, struct job *job);

/* queue.c */
int find_printer(struct spooler *spooler, const char *name);
int add_printer(struct spooler *spooler, const char *name, int speed, int warmup);
int add_job(struct spooler *spooler, int user, int printer, int pages, int flags);
int next_job(const struct spooler *spooler, int printer);
struct job *job_of(struct spooler *spooler, int id);
int set_state(struct spooler *spooler, int id, enum state from, enum state to);
int waiting(const struct spooler *spooler, int printer);

/* print.c */
void start_job(struct spooler *spooler, struct printer *printer, int index);
void advance(struct spooler *spooler, int ticks);
int sheets(const struct job *job);

/* report.c */
const char *state_name(enum state state);
void report_jobs(const struct spooler *spooler);
void report_users(const struct spooler *spooler);
void report_printers(const struct spooler *spooler);

#endif
