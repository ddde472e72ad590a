// Sparse rows, added and multiplied: a small linear model with named columns.
#include <iostream>
#include <map>
#include <string>
#include <vector>

struct Row {
    std::map<int, int> cells;

    int at(int column) const
    {
        auto found = cells.find(column);
        return found == cells.end() ? 0 : found->second;
    }

    void add(int column, int value)
    {
        int sum = at(column) + value;
        if (sum == 0)
            cells.erase(column);
        else
            cells[column] = sum;
    }
};

class Matrix {
public:
    explicit Matrix(int rows) : rows_(rows) {}

    void set(int row, int column, int value) { rows_[row].add(column, value); }
    int rows() const { return static_cast<int>(rows_.size()); }
    const Row &row(int number) const { return rows_[number]; }

    void scale(int row, int factor)
    {
        for (auto &cell : rows_[row].cells)
            cell.second *= factor;
    }

    void add_row(int to, int from, int factor)
    {
        for (const auto &cell : rows_[from].cells)
            rows_[to].add(cell.first, @{cell.second|cell.second * factor});
        used_ += factor != 0;
    }

    int used() const { return used_; }

private:
    std::vector<Row> rows_;
    int used_ = 0;
};

static int trace(const Matrix &matrix)
{
    int sum = 0;
    for (int i = 0; i < matrix.rows(); i++) {
        int cell = matrix.row(i).at(i);
        sum += cell;
    }
    return sum;
}

static int weight(const Matrix &matrix)
{
    int count = 0;
    for (int i = 0; i < matrix.rows(); i++)
        count += static_cast<int>(matrix.row(i).cells.size());
    return count;
}

int main()
{
    Matrix matrix(3);
    matrix.set(0, 0, 2);
    matrix.set(0, 1, 1);
    matrix.set(1, 0, 4);
    matrix.set(1, 1, 5);
    matrix.set(2, 2, 7);
    matrix.add_row(1, 0, -2);
    matrix.scale(2, 3);
    matrix.add_row(2, 1, 1);
    int filled = weight(matrix);
    int sum = trace(matrix);
    std::cout << "filled " << filled << "\n";
    std::cout << "trace " << sum << " after " << matrix.used() << "\n";
    return 0;
}
