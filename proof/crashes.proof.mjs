/*
 * Crashes of programs that are not ours, by bugs that others found: what `debug_query {"view": "crash"}` says of
 * each must hold the faulty line and the value at fault, or, without debug information, the function
 * and the value. Each dies the same way without us.
 */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { Product, openHome } from '../bench/support/product.mjs';
import { root } from '../bench/support/record.mjs';
import { recordRows } from './support/record.mjs';
import { compile, sourcesIn, vendor } from './support/vendored.mjs';

const mostTokens = 1500;

const scripts = join(root, 'proof', 'targets', 'crashes');

/** A Lua of the crate that brings several, with one of our scripts. */
function lua(version, script, pattern, says) {
  const from = join(vendor('crashes', { 'lua-src': '540.0.0' }), 'lua-src', `lua-${version}`);
  const files = [join(root, 'proof', 'targets', 'luaRunner.c'), ...sourcesIn(from)];
  const flags = [`-I${from}`, '-DLUA_USE_LINUX'];
  return {
    name: `Lua ${version}, ${script}`,
    command: compile('crashes', `lua-${version}`, files, flags),
    args: [join(scripts, script)],
    pattern,
    says: ['CRASH SIGSEGV', ...says],
  };
}

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
  lua('5.4.0', 'getlocal.lua', 'luaG_findlocal', [
    'lua_getlocal (ldebug.c:241)',
    'is not mapped (wild or freed pointer)',
    'pos=0x',
    'n=-2147483648',
  ]),
  lua('5.3.5', 'upvaluejoin.lua', 'db_upvaluejoin', [
    'lua_upvaluejoin (lapi.c:1296)',
    'is not mapped (wild or freed pointer)',
    'n1=1, n2=1',
    'luaC_upvalbarrier(L, *up1);',
  ]),
  lua('5.1.5', 'pattern.lua', 'str_find', [
    'stack overflow',
    'rounds of match',
    'lstrlib.c:420',
    'p="a?a?a?',
  ]),
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
