function job(n) {
  return n * n;
}
console.log('job', job(7), process.env.NODE_OPTIONS, process.env.SHOWN, process.execArgv.length);
