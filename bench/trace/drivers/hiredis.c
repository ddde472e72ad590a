/* Feeds standard input to the protocol reader in uneven pieces and prints what it understood. */
#include "hiredis.h"
#include <stdio.h>

static unsigned long count[16], checksum;

static void visit(const redisReply *reply) {
    count[reply->type & 15]++;
    checksum = checksum * 31 + (unsigned long)reply->integer + reply->len;
    for (size_t i = 0; i < reply->len; i++) checksum = checksum * 31 + (unsigned char)reply->str[i];
    for (size_t i = 0; i < reply->elements; i++) visit(reply->element[i]);
}

int main(void) {
    redisReader *reader = redisReaderCreate();
    char piece[1024];
    size_t n, replies = 0, wanted = 1;
    while ((n = fread(piece, 1, wanted, stdin)) > 0) {
        redisReaderFeed(reader, piece, n);
        wanted = wanted * 7 % 1021 + 1;
        void *reply = NULL;
        while (redisReaderGetReply(reader, &reply) == REDIS_OK && reply != NULL) {
            visit(reply), replies++;
            freeReplyObject(reply);
        }
        if (reader->err) return fprintf(stderr, "%s\n", reader->errstr), 1;
    }
    printf("%zu replies, checksum %lu\n", replies, checksum);
    for (int type = 0; type < 16; type++)
        if (count[type]) printf("type %d: %lu\n", type, count[type]);
    redisReaderFree(reader);
    return 0;
}
