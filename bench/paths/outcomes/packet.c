/* Decodes packets of standard input: a type, a length, as many bytes, a check byte. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    unsigned char head[2], body[16];
    int count = 0;
    while (fread(head, 1, 2, stdin) == 2) {
        unsigned size = head[1];
        if (size > sizeof body) {
            puts("too-long");
            return 1;
        }
        if (fread(body, 1, size, stdin) != size) {
            puts("cut");
            return 1;
        }
        int check = getchar();
        uint8_t sum = head[0];
        for (unsigned i = 0; i < size; i++)
            sum = (uint8_t)(sum * 3 + body[i]);
        if (check != sum) {
            puts(check == EOF ? "no-check" : "wrong-check");
            return 1;
        }
        switch (head[0]) {
        case 1:
            if (size == 4) {
                uint32_t value;
                memcpy(&value, body, 4);
                if (value == 0xdeadbeef)
                    puts("magic");
                else
                    puts(value & 0x80000000u ? "high" : "low");
            } else
                puts("odd-size");
            break;
        case 2:
            puts(size >= 3 && memcmp(body, "abc", 3) == 0 ? "abc" : "text");
            break;
        case 7:
            puts("end");
            return 0;
        default:
            puts("unknown-type");
        }
        count++;
    }
    puts(count ? "done" : "nothing");
    return 0;
}
