/* Puts the data of packets in order.  A packet on standard input is
 * stream (1 byte), flags (1 byte), sequence number (1 byte), length (1 byte), data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OPENS 1
#define ACKNOWLEDGES 2
#define CLOSES 4
#define MAX_STREAMS 4
#define SPACE 64

struct packet {
    int stream;
    int flags;
    int sequence;
    int length;
    unsigned char data[32];
};

struct stream {
    int number;
    int first;
    int end;
    int is_closed;
    char text[SPACE];
};

static struct stream streams[MAX_STREAMS];
static int n_streams;
static int ignored;

static int read_packet(struct packet *packet)
{
    int i;
    packet->stream = getchar();
    if (packet->stream == EOF || packet->stream == '\n')
        return 0;
    packet->flags = getchar() - '0';
    packet->sequence = getchar() - '0';
    packet->length = getchar() - '0';
    if (packet->length < 0 || packet->length > 9)
        return 0;
    for (i = 0; i < packet->length; i++) {
        int c = getchar();
        if (c == EOF)
            return 0;
        packet->data[i] = c;
    }
    return 1;
}

static struct stream *find_stream(int number)
{
    int i;
    for (i = 0; i < n_streams; i++)
        if (streams[i].number == number)
            return &streams[i];
    return NULL;
}

static struct stream *create_stream(int number, int sequence)
{
    struct stream *stream;
    if (n_streams == MAX_STREAMS)
        return NULL;
    stream = &streams[n_streams++];
    stream->number = number;
    stream->first = sequence;
    stream->end = 0;
    stream->is_closed = 0;
    memset(stream->text, '.', SPACE);
    return stream;
}

static void put(struct stream *stream, int offset, const struct packet *packet)
{
    int i;
    for (i = 0; i < packet->length && offset + i < SPACE; i++) {
        unsigned char c = packet->data[i];
        stream->text[offset + i] = c >= ' ' && c < 127 ? c : '?';
    }
    if (offset + i > stream->end)
        stream->end = offset + i;
}

static void handle(const struct packet *packet)
{
    struct stream *stream;
    int offset;
    if (packet->length == 0) {
        if (packet->flags & CLOSES) {
            stream = find_stream(packet->stream);
            if (stream != NULL)
                stream->is_closed = 1;
        }
        return;
    }
    stream = find_stream(packet->stream);
    if (stream == NULL)
        stream = create_stream(packet->stream, packet->sequence);
    if (stream == NULL || stream->is_closed) {
        ignored++;
        return;
    }
    offset = packet->sequence - stream->first;
    if (offset < 0) {
        ignored++;
        return;
    }
    put(stream, offset, packet);
}

static void show(void)
{
    int i;
    for (i = 0; i < n_streams; i++)
        printf("%c: %.*s%s\n", streams[i].number, streams[i].end, streams[i].text,
               streams[i].is_closed ? " (closed)" : "");
    printf("%d streams, %d packets ignored\n", n_streams, ignored);
}

int main(void)
{
    struct packet packet;
    while (read_packet(&packet))
        handle(&packet);
    show();
    return 0;
}
