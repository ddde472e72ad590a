/* A log in a file, which nothing prints: the level of a line is written wrong. */
#include <stdio.h>
#include <string.h>
static const char *levels[] = {"debug", "info", "warning", "error"};
struct log {
    FILE *out;
    int least;
    int lines;
};
static int log_line(struct log *log, int level, const char *text) {
    if (level @{<=|<} log->least)
        return 0;
    fprintf(log->out, "%s: %s\n", levels[level], text);
    return ++log->lines > 0;
}
static void work(struct log *log, int n) {
    char text[32];
    for (int i = 0; i < n; i++) {
        snprintf(text, sizeof text, "step %d", i);
        log_line(log, i % 4, text);
    }
}
int main(void) {
    struct log log = {fopen("work.log", "w"), 1, 0};
    if (!log.out)
        return 1;
    work(&log, 6);
    fclose(log.out);
    puts("done");
    return 0;
}
