#include "matrix.hpp"

double cell(const Matrix &of, size_t row, size_t column) { return of.cells[row * of.columns + column]; }

Matrix made(size_t rows, size_t columns, std::vector<double> cells) {
  cells.resize(rows * columns);
  return {rows, columns, cells};
}

Matrix turned(const Matrix &of) {
  Matrix result = made(of.columns, of.rows, {});
  for (size_t row = 0; row < of.rows; row++)
    for (size_t column = 0; column < of.columns; column++)
      result.cells[column * of.rows + row] = cell(of, row, column);
  return result;
}

double traceOf(const Matrix &of) {
  double sum = 0;
  for (size_t at = 0; at < of.rows && at < of.columns; at++) sum += cell(of, at, at);
  return sum;
}
