// The distance of two texts that together use all 256 letters.
#include <cstdio>

#include "edlib.h"

int main()
{
    char query[256], target[256];
    for (int i = 0; i < 256; i++) {
        query[i] = (char)i;
        target[i] = (char)i;
    }
    target[100] = 'x';
    EdlibAlignResult result = edlibAlign(query, 256, target, 256, edlibDefaultAlignConfig());
    std::printf("%d\n", result.editDistance);
    int status = result.editDistance == 1 ? 0 : 1;
    edlibFreeAlignResult(result);
    return status;
}
