/* Read packets of a simple protocol: a length, a kind, data, and a sum of all bytes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT = 1, NUMBER = 2, PAIRS = 3 };

struct reader {
    const @{char|unsigned char} *bytes;
    int at, size;
};

struct packet {
    int kind, size;
    char data[32];
};

struct totals {
    long numbers;
    int letters, pairs, refused;
};

static int next(struct reader *reader)
{
    if (reader->at >= reader->size)
        return -1;
    return reader->bytes[reader->at++];
}

static int read_packet(struct reader *reader, struct packet *packet)
{
    int size = next(reader);
    if (size < 0 || reader->at + size + 1 > reader->size)
        return 0;
    packet->kind = next(reader);
    packet->size = 0;
    int sum = size + packet->kind;
    for (int i = 1; i < size; i++) {
        int byte = next(reader);
        packet->data[packet->size++] = (char)byte;
        sum += byte;
    }
    int wanted = next(reader) & 0xff;
    if ((sum & 0xff) != wanted)
        packet->kind = 0;
    return 1;
}

static long number_of(const struct packet *packet)
{
    char text[40];
    memcpy(text, packet->data, (size_t)packet->size);
    text[packet->size] = 0;
    return strtol(text, NULL, 10);
}

static int weight(const char *data, int size)
{
    struct reader reader = {(const void *)data, 0, size};
    int heavy = 0;
    for (int i = 0; i < size; i++) {
        int byte = next(&reader);
        if (byte >= 0x80)
            heavy += 2;
        else if (byte > ' ')
            heavy++;
    }
    return heavy;
}

static void take(struct totals *totals, const struct packet *packet)
{
    switch (packet->kind) {
    case TEXT:
        totals->letters += weight(packet->data, packet->size);
        break;
    case NUMBER:
        totals->numbers += number_of(packet);
        break;
    case PAIRS:
        totals->pairs += packet->size / 2;
        break;
    default:
        totals->refused++;
    }
}

int main(void)
{
    static const char sent[] = "\x05\x02"
                               "1200\xca"
                               "\x06\x01"
                               "caf\xc3\xa9\x9d"
                               "\x05\x03"
                               "abcd\x92"
                               "\x03\x02"
                               "42\x6b"
                               "\x04\x02"
                               "-17\x9b";
    struct reader reader = {(const void *)sent, 0, sizeof sent - 1};
    struct totals totals = {0};
    struct packet packet;
    int packets = 0;
    while (read_packet(&reader, &packet)) {
        take(&totals, &packet);
        packets++;
    }
    int score = totals.letters * 10 + totals.pairs;
    printf("%d packets, %d refused\n", packets, totals.refused);
    printf("numbers %ld\n", totals.numbers);
    printf("score %d\n", score);
    return 0;
}
