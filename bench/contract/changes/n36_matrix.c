/* Matrices of floats: elimination with pivots, a text that is built in a static buffer, statistics by value. */
#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { int rows, columns; double *cells; } matrix;
typedef struct { double least, most, mean; int count; } statistics;
typedef double (*unary)(double);

static int made;
static char text[256];

static matrix matrix_new(int rows, int columns)
{
    matrix m = {rows, columns, calloc((size_t)rows * columns, sizeof(double))};
    made++;
    return m;
}

static double *at(const matrix *m, int row, int column)
{
    return &m->cells[row * m->columns + column];
}

static matrix from_values(int rows, int columns, const double values[])
{
    matrix m = matrix_new(rows, columns);
    memcpy(m.cells, values, sizeof(double) * rows * columns);
    return m;
}

static matrix product(const matrix *a, const matrix *b)
{
    matrix m = matrix_new(a->rows, b->columns);
    for (int i = 0; i < a->rows; i++)
        for (int j = 0; j < b->columns; j++) {
            double sum = 0;
            for (int k = 0; k < a->columns; k++)
                sum += *at(a, i, k) * *at(b, k, j);
            *at(&m, i, j) = sum;
        }
    return m;
}

static void apply(matrix *m, unary f)
{
    for (int i = 0; i < m->rows * m->columns; i++)
        m->cells[i] = f(m->cells[i]);
}

static int pivot_of(const matrix *m, int column)
{
    int best = column;
    for (int i = column + 1; i < m->rows; i++)
        if (@{*at(m, i, column) > *at(m, best, column)|fabs(*at(m, i, column)) > fabs(*at(m, best, column))})
            best = i;
    return best;
}

static void swap_rows(matrix *m, int a, int b)
{
    for (int k = 0; k < m->columns; k++) {
        double kept = *at(m, a, k);
        *at(m, a, k) = *at(m, b, k);
        *at(m, b, k) = kept;
    }
}

static double determinant(const matrix *given)
{
    matrix m = from_values(given->rows, given->columns, given->cells);
    double found = 1;
    for (int column = 0; column < m.rows; column++) {
        int pivot = pivot_of(&m, column);
        if (fabs(*at(&m, pivot, column)) < DBL_EPSILON) {
            found = 0;
            break;
        }
        if (pivot != column) {
            swap_rows(&m, pivot, column);
            found = -found;
        }
        found *= *at(&m, column, column);
        for (int i = column + 1; i < m.rows; i++) {
            double factor = *at(&m, i, column) / *at(&m, column, column);
            for (int k = column; k < m.columns; k++)
                *at(&m, i, k) -= factor * *at(&m, column, k);
        }
    }
    free(m.cells);
    return found;
}

static statistics describe(const matrix *m)
{
    statistics s = {INFINITY, -INFINITY, 0, m->rows * m->columns};
    for (int i = 0; i < s.count; i++) {
        double cell = m->cells[i];
        s.least = cell < s.least ? cell : s.least;
        s.most = cell > s.most ? cell : s.most;
        s.mean += cell / s.count;
    }
    return s;
}

static const char *written(const char *format, ...)
{
    va_list given;
    size_t used = strlen(text);
    va_start(given, format);
    vsnprintf(text + used, sizeof text - used, format, given);
    va_end(given);
    return text;
}

static double sign(double x)
{
    return (x > 0) - (x < 0);
}

int main(void)
{
    static const double one[] = {0, -2, 1, 1, 1, 0, -3, 4, 2}, two[] = {1, 2, 3};
    matrix a = from_values(3, 3, one), b = from_values(3, 1, two), c = product(&a, &b);
    double d = determinant(&a);
    statistics s = describe(&a), t;
    apply(&c, sign);
    t = describe(&c);
    written("%d ", d != 0);
    puts(written("%d %d", s.count + t.count, made > 3));
    free(a.cells);
    free(b.cells);
    free(c.cells);
    return 0;
}
