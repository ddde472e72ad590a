/* The sound of a word that ends in a silent letter. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "jellyfish.h"

int main(void)
{
    char *sound = metaphone("how");
    if (sound == NULL) return 2;
    puts(sound);
    free(sound);
    return 0;
}
