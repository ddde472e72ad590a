/* Commands: item NAME [fragile|frozen] [limit N]; in NAME N; order NAME N DAY [urgent]; count NAME N;
   thaw NAME; day */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "inventory.h"

static int day = 1;

static struct item *known(const char *name)
{
    struct item *item = find_item(name);
    if (item == NULL) {
        printf("no item %s\n", name);
        exit(1);
    }
    return item;
}

static void define(char *name, char *words)
{
    struct item *item = new_item(name);
    char *word;
    for (word = strtok(words, " \n"); word != NULL; word = strtok(NULL, " \n")) {
        if (strcmp(word, "fragile") == 0)
            item->is_fragile = 1;
        else if (strcmp(word, "frozen") == 0)
            item->is_frozen = 1;
        else if (strcmp(word, "limit") == 0 && (word = strtok(NULL, " \n")) != NULL)
            item->limit = atoi(word);
    }
}

static void run(char *line)
{
    char command[NAME_SIZE], name[NAME_SIZE], rest[64] = "", more[NAME_SIZE] = "";
    int first = 0, second = 0;
    int fields = sscanf(line, "%15s %15s %63[^\n]", command, name, rest);
    if (fields < 1 || command[0] == '#')
        return;
    sscanf(rest, "%d %d %15s", &first, &second, more);
    switch (command[0]) {
    case 'i':
        if (command[2] == 'e') {
            define(name, rest);
            break;
        }
        add_lot(known(name), first, day);
        place(known(name));
        break;
    case 'o':
        add_order(known(name), first, second, strcmp(more, "urgent") == 0);
        break;
    case 'c':
        correct(known(name), first);
        break;
    case 't':
        known(name)->is_frozen = 0;
        break;
    case 'd':
        fill_orders(day);
        print_report(day);
        day++;
        break;
    default:
        printf("unknown command %s\n", command);
    }
}

int main(void)
{
    char line[128];
    open_bins();
    open_orders();
    open_report();
    while (fgets(line, sizeof line, stdin) != NULL)
        run(line);
    fill_orders(day);
    print_report(day);
    return late_orders(day) > 0;
}
