#include "matrix.hpp"

static double rowTimesColumn(const Matrix &left, const Matrix &right, size_t row, size_t column) {
  double sum = 0;
  for (size_t at = 0; at < left.columns; at++) sum += cell(left, row, at) * cell(right, at, column);
  return sum;
}

Matrix product(const Matrix &left, const Matrix &right) {
  Matrix result = made(left.rows, right.columns, {});
  for (size_t row = 0; row < left.rows; row++)
    for (size_t column = 0; column < right.columns; column++)
#if FAULT == 1
      result.cells[row * left.rows + column] = rowTimesColumn(left, right, row, column);
#else
      result.cells[row * right.columns + column] = rowTimesColumn(left, right, row, column);
#endif
  return result;
}

static Matrix without(const Matrix &of, size_t left) {
  Matrix result = made(of.rows - 1, of.columns - 1, {});
  for (size_t row = 1; row < of.rows; row++)
    for (size_t column = 0, to = 0; column < of.columns; column++)
      if (column != left) result.cells[(row - 1) * result.columns + to++] = cell(of, row, column);
  return result;
}

static double signOf(size_t column) {
#if FAULT == 2
  return column == 1 ? -1 : 1;
#else
  return column % 2 == 1 ? -1 : 1;
#endif
}

double determinant(const Matrix &of) {
  if (of.rows == 1) return of.cells[0];
  double sum = 0;
  for (size_t column = 0; column < of.columns; column++)
    sum += signOf(column) * cell(of, 0, column) * determinant(without(of, column));
  return sum;
}
