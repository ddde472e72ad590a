/* Judges a temperature and a pressure: tables, floats, a switch, a function pointer.  Arguments: T P MODE. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const float steps[] = { -10.0f, 0.0f, 15.5f, 37.0f, 100.0f };
static const char *names[] = { "ice", "cold", "mild", "warm", "hot", "steam" };

static double linear(double t, double p) { return t * 0.5 + p; }
static double square(double t, double p) { return t * t - p; }
static double (*const rules[])(double, double) = { linear, square };

int main(int argc, char **argv) {
    if (argc < 4)
        return 2;
    double t = atof(argv[1]), p = strtod(argv[2], NULL);
    int level = 0;
    while (level < 5 && t > steps[level])
        level++;
    unsigned mode = (unsigned)atoi(argv[3]);
    double value = rules[mode & 1](t, p);
    switch (mode) {
    case 0:
    case 1:
        printf("%s", names[level]);
        break;
    case 2:
        printf("level %d", level);
        break;
    case 7:
        value = fabs(value);
        break;
    default:
        printf("mode %u", mode);
    }
    if (value > 100.0)
        printf(" alarm");
    else if (value < 0 && sqrt(p) > 3)
        printf(" low");
    printf("\n");
    return 0;
}
