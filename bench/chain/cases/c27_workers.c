/* A child counts the words of a text and writes records into a pipe; the parent adds them up. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROOM 16

struct record {
    char word[12];
    int times;
    int first_line;
};

static int find(struct record *records, int count, const char *word)
{
    for (int i = 0; i < count; i++)
        if (strcmp(records[i].word, word) == 0)
            return i;
    return -1;
}

static int note(struct record *records, int count, const char *word, int line)
{
    int at = find(records, count, word);
    if (at < 0) {
        if (count == ROOM)
            return count;
        at = count++;
        strcpy(records[at].word, word);
        records[at].times = 0;
        records[at].first_line = line;
    }
    records[at].times++;
    return count;
}

static int collect(const char *text, struct record *records)
{
    char word[12];
    int length = 0, count = 0, line = 1;
    for (;; text++) {
        if (isalpha((unsigned char)*text)) {
            if (length < (int)sizeof word - 1)
                word[length++] = (char)@{*text|tolower((unsigned char)*text)};
            continue;
        }
        if (length > 0) {
            word[length] = '\0';
            count = note(records, count, word, line);
            length = 0;
        }
        if (*text == '\n')
            line++;
        if (*text == '\0')
            return count;
    }
}

static void count_words(const char *text, int out)
{
    struct record records[ROOM];
    int count = collect(text, records);
    for (int i = 0; i < count; i++)
        if (write(out, &records[i], sizeof records[i]) != (ssize_t)sizeof records[i])
            _exit(3);
}

static int add_up(int in, int *words, int *repeated)
{
    struct record record;
    int longest = 0;
    while (read(in, &record, sizeof record) == (ssize_t)sizeof record) {
        *words += 1;
        if (record.times > 1)
            *repeated += record.times;
        int length = (int)strlen(record.word);
        if (length * record.times > longest)
            longest = length * record.times;
    }
    return longest;
}

int main(void)
{
    static const char text[] = "The sea is calm\nand the sky is\nclear The wind\nsleeps\n";
    int ends[2];
    if (pipe(ends) != 0)
        return 3;
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        count_words(text, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    int words = 0, repeated = 0;
    int longest = add_up(ends[0], &words, &repeated);
    waitpid(child, NULL, 0);
    int share = 100 * repeated / (words ? words : 1);
    printf("share %d\n", share);
    printf("longest %d\n", longest);
    return 0;
}
