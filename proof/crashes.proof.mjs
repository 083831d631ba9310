/*
 * Crashes of programs that are not ours: what `debug_query {"view": "crash"}` says of each must name
 * the function at fault and the value. Each dies the same way without us.
 */
import { spawnSync } from 'node:child_process';
import { Product, openHome } from '../bench/support/product.mjs';
import { recordRows } from './support/record.mjs';

const mostTokens = 1500;

/** `says`: what the answer must hold; `pattern`: one function, as programs from outside a project are not entered for nothing. */
const cases = [
  {
    name: 'bash, a function that calls itself',
    command: 'bash',
    args: ['-c', 'ulimit -s 512; f() { f; }; f'],
    pattern: 'execute_command',
    says: ['CRASH SIGSEGV', 'stack overflow', 'rounds of', 'execute_command_internal'],
  },
  {
    name: 'perl, unpack of a pointer that is none',
    command: 'perl',
    args: ['-e', 'my @a = unpack "p", "AAAAAAAA"; print @a'],
    pattern: 'Perl_pp_unpack',
    says: ['CRASH SIGSEGV', 'Perl_pp_unpack', 'no possible address'],
  },
  {
    name: 'python3, a string read at address 8',
    command: '/usr/bin/python3',
    args: ['-c', 'import ctypes; ctypes.string_at(8)'],
    pattern: 'PyObject_Vectorcall',
    says: ['CRASH SIGSEGV', 'null + 0x8', 'ffi_call'],
  },
];

/** About what a model counts; the product's own count is tested elsewhere. */
const tokensOf = (text) => Math.ceil(text.length / 3.2);

async function prove(product, { name, command, args, pattern, says }) {
  const plain = spawnSync(command, args, { timeout: 60_000 });
  const { sessionId } = await product.launch(command, args, [pattern]);
  const { exit } = await product.waitForExit(sessionId);
  const { text } = await product.call('debug_query', { view: 'crash', sessionId });
  const missing = says.filter((words) => !text.includes(words));
  if (exit.signal !== plain.signal)
    missing.push(`the end of the plain run (${plain.signal ?? plain.status})`);
  const tokens = tokensOf(text);
  if (tokens > mostTokens) missing.push(`an answer below ${mostTokens} tokens`);
  const line = text.split('\n').find((one) => one.startsWith('CRASH')) ?? '';
  return { program: name, told: line, 'tokens, about': tokens, missing: missing.join(', '), text };
}

const home = openHome();
try {
  const product = await Product.start(home);
  const rows = [];
  for (const one of cases) {
    const { text, ...row } = await prove(product, one);
    rows.push(row);
    console.log(
      `${row.missing === '' ? 'told' : 'NOT TOLD'}  ${row.program}\n          ${row.told}`,
    );
    if (row.missing !== '') console.log(`  missing: ${row.missing}\n${text}`);
  }
  await product.close();
  const told = rows.filter(({ missing }) => missing === '').length;
  recordRows('crashes', `${told} of ${rows.length} told`, rows);
  if (told < rows.length) process.exitCode = 1;
} finally {
  home.close();
}
