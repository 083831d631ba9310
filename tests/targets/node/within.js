function within(x) {
  return x + 1;
}
within(41);
