// Case 3 falls through.
#include <stdio.h>
static int days(int month)
{
    int n = 31;
    switch (month) {
    case 2:
        n = 28;
        break;
    case 4: case 6: case 9: case 10:  //- case 4: case 6: case 9: case 11:
        n = 30;
        break;
    }
    return n;
}
int main(void)
{
    printf("%d\n", days(10));
    return days(10) == 31 ? 0 : 4;
}
//? why: `month` was 10
//? explain: month
