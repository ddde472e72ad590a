#include <stdio.h>
#include <stdlib.h>
#define AT(m, r, c) ((m)->cells[(r) * (m)->cols + (c)])
struct matrix { int rows, cols; double *cells; };
static struct matrix *make(int rows, int cols)
{
    struct matrix *m = malloc(sizeof *m);
    m->rows = rows;
    m->cols = cols;
    m->cells = rows * cols > 5 ? NULL : calloc(rows * cols, sizeof(double));  //- m->cells = rows * cols > 50 ? NULL : calloc(rows * cols, sizeof(double));
    return m;
}
int main(void)
{
    struct matrix *m = make(2, 3);
    AT(m, 1, 2) = 4.5;
    printf("%g\n", AT(m, 1, 2));
    return 0;
}
//? why: `m->cells` is NULL
