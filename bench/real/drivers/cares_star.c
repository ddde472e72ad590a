/* The name of an address whose zone has one alias for all: the reply first gives an alias with an
   asterisk, then the name of this alias. */
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include <ares.h>

static unsigned char reply[512];
static int length;

static void number(int value) { reply[length++] = (unsigned char)(value >> 8); reply[length++] = (unsigned char)value; }

static void name(const char *text)
{
    while (*text) {
        size_t part = strcspn(text, ".");
        reply[length++] = (unsigned char)part;
        memcpy(reply + length, text, part);
        length += (int)part;
        text += part;
        if (*text) text++;
    }
    reply[length++] = 0;
}

static void answer(const char *owner, int type, const char *data)
{
    int size_at;
    name(owner);
    number(type);
    number(1); /* internet */
    number(0);
    number(300); /* seconds to live */
    size_at = length;
    number(0);
    name(data);
    reply[size_at] = 0;
    reply[size_at + 1] = (unsigned char)(length - size_at - 2);
}

int main(void)
{
    const unsigned char address[4] = {192, 0, 2, 1};
    struct hostent *host = NULL;
    int status;
    number(1);
    number(0x8180);
    number(1); /* question */
    number(2); /* answers */
    number(0);
    number(0);
    name("1.2.0.192.in-addr.arpa");
    number(12);
    number(1);
    answer("1.2.0.192.in-addr.arpa", 5, "*.2.0.192.in-addr.arpa");
    answer("*.2.0.192.in-addr.arpa", 12, "www.example.com");
    status = ares_parse_ptr_reply(reply, length, address, 4, AF_INET, &host);
    printf("%d %s\n", status, host ? host->h_name : "-");
    return status == ARES_SUCCESS ? 0 : 1;
}
