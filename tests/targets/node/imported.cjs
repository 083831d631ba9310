function imported(n) {
  return n + 1;
}
console.log('imported', imported(1));
