/* Are the brackets of a text balanced, three deep? */
#include <stdio.h>
int main(void) {
    int c, depth = 0, deepest = 0;
    while ((c = getchar()) != EOF && c != '\n') {
        if (c == '(' && ++depth > deepest) deepest = depth;
        if (c == ')' && --depth < 0) { puts("too many"); return 1; }
    }
    puts(depth ? "open" : deepest == 3 ? "three deep" : "balanced");
    return 0;
}
