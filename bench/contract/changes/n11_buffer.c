#include <stdio.h>
#include <string.h>
struct buffer { char data[32]; int length; };
static void add(struct buffer *to, char c) {
    if (to->length @{<=|<} 8)
        to->data[to->length++] = c;
}
static void add_text(struct buffer *to, const char *text) {
    while (*text)
        add(to, *text++);
}
static void quote(struct buffer *to, const char *text) {
    add(to, '"');
    for (; *text; text++) {
        if (*text == '"')
            add(to, '\\');
        add(to, *text);
    }
    add(to, '"');
}
int main(void) {
    struct buffer one = {{0}, 0}, two = {{0}, 0};
    quote(&one, "a\"b");
    add_text(&two, "abcdefghijkl");
    printf("%s %s\n", one.data, two.data);
    return 0;
}
