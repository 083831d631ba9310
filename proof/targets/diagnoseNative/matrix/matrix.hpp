#pragma once
#include <cstddef>
#include <vector>

struct Matrix {
  size_t rows;
  size_t columns;
  std::vector<double> cells;
};

double cell(const Matrix &of, size_t row, size_t column);
Matrix made(size_t rows, size_t columns, std::vector<double> cells);
Matrix turned(const Matrix &of);
Matrix product(const Matrix &left, const Matrix &right);
double traceOf(const Matrix &of);
double determinant(const Matrix &of);
