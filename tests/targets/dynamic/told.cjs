// Functions as a rewriter leaves them: told.cjs <addon> <engine> <ring>
const [, , addonPath, engine, ring] = process.argv;
const addon = require(addonPath);
if (addon.open(engine, ring) !== 0) process.exit(3);
const { put } = addon;
const kind = { enter: 1, return: 2, unwound: 3, suspend: 8, resume: 9, raise: 13 };
const file = addon.file(__filename);
const numbers = {
  add: addon.function('add', file, 20, 0, 'a b'),
  steps: addon.function('steps', file, 27, 1, 'n'),
  later: addon.function('Later.later', file, 38, 2, 'n'),
  soon: addon.function('soon', file, 48, 0, 'n'),
  fails: addon.function('fails', file, 60, 0, 'why'),
};
let activations = 0;

function add(a, b) {
  const self = ++activations;
  put(kind.enter, numbers.add, self, a, b);
  const sum = a + b;
  put(kind.return, numbers.add, self, sum);
  return sum;
}
function* steps(n) {
  const self = ++activations;
  put(kind.enter, numbers.steps, self, n);
  for (let at = 0; at < n; at++) {
    put(kind.suspend, numbers.steps, self, at);
    const sent = yield at;
    put(kind.resume, numbers.steps, self, sent);
  }
  put(kind.return, numbers.steps, self, undefined);
}
async function later(n) {
  const self = ++activations;
  put(kind.enter, numbers.later, self, n);
  put(kind.suspend, numbers.later, self, null);
  await Promise.resolve();
  put(kind.resume, numbers.later, self, null);
  const doubled = add(n, n);
  put(kind.return, numbers.later, self, doubled);
  return doubled;
}
// Not over before the promise it has returned is.
function soon(n) {
  const self = ++activations;
  put(kind.enter, numbers.soon, self, n);
  const promise = later(n);
  put(kind.suspend, numbers.soon, self, null);
  promise.then(
    (value) => put(kind.return, numbers.soon, self, value),
    (reason) => put(kind.unwound, numbers.soon, self, reason),
  );
  return promise;
}
function fails(why) {
  const self = ++activations;
  put(kind.enter, numbers.fails, self, why);
  put(kind.unwound, numbers.fails, self, why);
}

add(1, 2.5);
add('größer', ' → 100 €');
add(true, 2 ** 40);
Array.from(steps(2));
fails('no reason');
void soon(21);
