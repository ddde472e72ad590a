/* Describes measurements: two columns of numbers, one pair on a line of the input.

   Arguments: [bins [window]] of the histogram and of the moving average. */

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_VALUES 64
#define MAX_BINS 16
#define WIDTH 20
#define CLOSE 1e-6

struct series {
    int n;
    double value[MAX_VALUES];
    double sorted[MAX_VALUES];
    double least, most;
    double mean, variance, skew;
    double lower, median, upper; /* quartiles */
};

struct line {
    double slope, intercept, correlation;
};

static struct series x, y;
static int bins = 4;
static int window = 3;
static int count[MAX_BINS];
static int ignored; /* lines of the input that are no pair */

/* --- arithmetic ------------------------------------------------------------------------------ */

static double magnitude(double v)
{
    return v < 0 ? -v : v;
}

static double root(double v)
{
    double guess = v > 1 ? v : 1;
    int i;
    if (v <= 0)
        return 0;
    for (i = 0; i < 60; i++) {
        double next = (guess + v / guess) / 2;
        if (magnitude(next - guess) < 1e-12 * guess)
            break;
        guess = next;
    }
    return guess;
}

static double sum(const double *values, int n)
{
    double total = 0;
    int i;
    for (i = 0; i < n; i++)
        total += values[i];
    return total;
}

/* --- one series ------------------------------------------------------------------------------ */

static void sort(double *values, int n)
{
    int gap, i, j;
    for (gap = n / 2; gap > 0; gap /= 2)
        for (i = gap; i < n; i++) {
            double moved = values[i];
            for (j = i; j >= gap && values[j - gap] > moved; j -= gap)
                values[j] = values[j - gap];
            values[j] = moved;
        }
}

/* The value below which a share of the sorted ones lies, interpolated. */
static double quantile(const double *sorted, int n, double share)
{
    double place = share * (n - 1);
    int below = (int)place;
    double part = place - below;
    if (below + 1 >= n)
        return sorted[n - 1];
    return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

static void find_extremes(struct series *s)
{
    int i;
    s->least = s->most = s->value[0];
    for (i = 1; i < s->n; i++) {
        if (s->value[i] < s->least)
            s->least = s->value[i];
        if (s->value[i] > s->most)
            s->most = s->value[i];
    }
}

/* Mean and central moments in one pass, without sums of large squares. */
static void find_moments(struct series *s)
{
    double mean = 0, second = 0, third = 0;
    int i;
    for (i = 0; i < s->n; i++) {
        double delta = s->value[i] - mean;
        double step = delta / (i + 1);
        double term = delta * step * i;
        third += term * step * (i - 1) - 3 * step * second;
        second += term;
        mean += step;
    }
    s->mean = mean;
    s->variance = s->n > 1 ? second / (s->n - 1) : 0;
    s->skew = second > 0 ? root(s->n) * third / (second * root(second)) : 0;
}

static void describe(struct series *s)
{
    find_extremes(s);
    find_moments(s);
    memcpy(s->sorted, s->value, sizeof s->value);
    sort(s->sorted, s->n);
    s->lower = quantile(s->sorted, s->n, 0.25);
    s->median = quantile(s->sorted, s->n, 0.5);
    s->upper = quantile(s->sorted, s->n, 0.75);
}

static int is_outlier(const struct series *s, double v)
{
    double spread = s->upper - s->lower;
    return v < s->lower - 1.5 * spread || v > s->upper + 1.5 * spread;
}

/* --- both series ----------------------------------------------------------------------------- */

static struct line fit(void)
{
    struct line line = {0, 0, 0};
    double sxx = 0, syy = 0, sxy = 0;
    int i;
    for (i = 0; i < x.n; i++) {
        double dx = x.value[i] - x.mean;
        double dy = y.value[i] - y.mean;
        sxx += dx * dx;
        syy += dy * dy;
        sxy += dx * dy;
    }
    if (sxx > 0)
        line.slope = sxy / sxx;
    line.intercept = y.mean - line.slope * x.mean;
    if (sxx > 0 && syy > 0)
        line.correlation = sxy / root(sxx * syy);
    return line;
}

static double residual(const struct line *line)
{
    double total = 0;
    int i;
    for (i = 0; i < x.n; i++)
        total += y.value[i] - (line->slope * x.value[i] + line->intercept);
    return total;
}

/* --- pictures -------------------------------------------------------------------------------- */

static int bin_of(double v)
{
    double range = x.most - x.least;
    int bin = range > 0 ? (int)((v - x.least) / range * bins) : 0;
    return bin < bins ? bin : bins - 1;
}

static void fill_bins(void)
{
    int i;
    for (i = 0; i < x.n; i++)
        count[bin_of(x.value[i])]++;
}

static void show_histogram(void)
{
    double step = (x.most - x.least) / bins;
    int i, j, most = 0;
    for (i = 0; i < bins; i++)
        if (count[i] > most)
            most = count[i];
    for (i = 0; i < bins; i++) {
        printf("%8.2f ", x.least + i * step);
        for (j = 0; j < count[i] * WIDTH / most; j++)
            putchar('#');
        printf(" %d\n", count[i]);
    }
}

static void show_moving(void)
{
    double total = 0;
    int i;
    printf("moving");
    for (i = 0; i < y.n; i++) {
        total += y.value[i];
        if (i >= window)
            total -= y.value[i - window];
        if (i >= window - 1)
            printf(" %.2f", total / window);
    }
    printf("\n");
}

static void show_series(const char *name, const struct series *s)
{
    int i;
    printf("%s: %.3f to %.3f, mean %.3f, deviation %.3f, skew %.3f\n", name, s->least, s->most,
           s->mean, root(s->variance), s->skew);
    printf("%s: quartiles %.3f %.3f %.3f\n", name, s->lower, s->median, s->upper);
    for (i = 0; i < s->n; i++)
        if (is_outlier(s, s->value[i]))
            printf("%s: outlier %.3f\n", name, s->value[i]);
}

/* --- all of it ------------------------------------------------------------------------------- */

static void read_pairs(void)
{
    char text[128];
    while (x.n < MAX_VALUES && fgets(text, sizeof text, stdin) != NULL) {
        char *end, *last;
        double first = strtod(text, &end);
        double second = strtod(end, &last);
        if (end == text || last == end) {
            ignored++;
            continue;
        }
        x.value[x.n++] = first;
        y.value[y.n++] = second;
    }
}

static void check_series(const struct series *s)
{
    int i;
    for (i = 1; i < s->n; i++)
        assert(s->sorted[i - 1] <= s->sorted[i]);
    assert(s->least == s->sorted[0] && s->most == s->sorted[s->n - 1]);
    assert(s->lower <= s->median && s->median <= s->upper);
    assert(s->variance >= 0);
    assert(magnitude(sum(s->sorted, s->n) / s->n - s->mean) < CLOSE * (1 + magnitude(s->mean)));
}

static void check(const struct line *line)
{
    int i, all = 0;
    check_series(&x);
    check_series(&y);
    for (i = 0; i < bins; i++)
        all += count[i];
    assert(all == x.n);
    assert(magnitude(line->correlation) <= 1 + CLOSE);
    assert(magnitude(residual(line)) < CLOSE * x.n * (1 + magnitude(y.most - y.least)));
}

int main(int argc, char **argv)
{
    struct line line;
    if (argc > 1)
        bins = atoi(argv[1]);
    if (argc > 2)
        window = atoi(argv[2]);
    read_pairs();
    if (x.n == 0 || bins < 1 || bins > MAX_BINS || window < 1) {
        printf("nothing to describe\n");
        return 2;
    }
    describe(&x);
    describe(&y);
    line = fit();
    fill_bins();
    check(&line);
    show_series("x", &x);
    show_series("y", &y);
    printf("y = %.4f x + %.4f, correlation %.4f\n", line.slope, line.intercept, line.correlation);
    show_histogram();
    show_moving();
    printf("%d pairs, %d lines ignored\n", x.n, ignored);
    return 0;
}
