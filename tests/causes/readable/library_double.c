// flags: -lm
// The distance is computed with the wrong sign.
#include <math.h>
#include <stdio.h>
struct point { double x, y; };
static double distance(struct point a, struct point b)
{
    double dx = a.x - b.x, dy = a.y + b.y;  //- double dx = a.x - b.x, dy = a.y - b.y;
    return sqrt(dx * dx + dy * dy);
}
int main(void)
{
    struct point a = {1.0, 2.0}, b = {4.0, 6.0};
    double d = distance(a, b);
    printf("%.2f\n", d);
    if (fabs(d - 5.0) > 1e-9)
        return 1;
    return 0;
}
//? why: fabs(d - 5.0) > 1e-9
//? why: d = 8.54400374531753
//? explain: dy = -4.0
//? explain: dy = 8.0
