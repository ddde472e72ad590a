/* Runs the SQL on standard input in a database in memory, and prints the rows it gives. */
#include "sqlite3.h"
#include <stdio.h>
#include <stdlib.h>

static char *whole_input(void) {
    size_t length = 0, room = 1 << 16, n;
    char *text = malloc(room + 1);
    while ((n = fread(text + length, 1, room - length, stdin)) > 0)
        if ((length += n) == room) text = realloc(text, (room *= 2) + 1);
    text[length] = 0;
    return text;
}

static int print_row(void *unused, int columns, char **values, char **names) {
    (void)unused, (void)names;
    for (int i = 0; i < columns; i++) printf("%s%s", i ? "|" : "", values[i] ? values[i] : "");
    putchar('\n');
    return 0;
}

int main(void) {
    sqlite3 *database;
    char *sql = whole_input(), *message = NULL;
    if (sqlite3_open(":memory:", &database) != SQLITE_OK) return 1;
    int status = sqlite3_exec(database, sql, print_row, NULL, &message);
    if (message) fprintf(stderr, "%s\n", message);
    sqlite3_free(message);
    sqlite3_close(database);
    free(sql);
    return status;
}
