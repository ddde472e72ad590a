/* Disassembles one instruction whose operand has no segment register. */
#include <stdio.h>

#include "distorm.h"

int main(void)
{
    static const unsigned char code[] = {0xd7};
    _DecodedInst instructions[4];
    unsigned int count = 0;
    distorm_decode(0x1000, code, sizeof code, Decode64Bits, instructions, 4, &count);
    printf("%u %s %s\n", count, (char *)instructions[0].mnemonic.p, (char *)instructions[0].operands.p);
    return 0;
}
