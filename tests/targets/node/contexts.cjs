const cluster = require('node:cluster');
const vm = require('node:vm');

function served(x) {
  return x * 2;
}

function inContexts() {
  const code = 'function within(x) { return x + 1; } within(41)';
  const named = { filename: `${__dirname}/within.js` };
  const context = vm.createContext({});
  console.log(
    vm.runInThisContext(code, named),
    vm.runInNewContext(code, {}, named),
    new vm.Script(code, named).runInContext(context),
    vm.compileFunction(`${code}; return within(given)`, ['given'], named)(1),
    vm.runInContext('1 + 1', context),
  );
}

if (cluster.isPrimary) {
  inContexts();
  const worker = cluster.fork();
  worker.on('message', (told) => {
    console.log('told', told);
    worker.disconnect();
  });
  worker.on('exit', (code) => console.log('ended', code));
} else {
  process.send(served(21));
}
