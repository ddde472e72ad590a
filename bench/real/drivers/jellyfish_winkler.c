/* The similarity of two short words with the same first letters. */
#include <stdio.h>

#include "jellyfish.h"

int main(void)
{
    double similarity = jaro_winkler("law", "lawn", false);
    printf("%.3f\n", similarity);
    return similarity > 0.93 ? 0 : 1;
}
