/*
 * Others' readers of the protocol against `strobe mcp`: the official conformance suite, in each revision it knows and all
 * on one connection (the revision of 2026, those of 2025, that of 2026 again), the command line of the official
 * Inspector, and both generations of the official client. PROOF_ONLY: a part of a scenario's name.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { client, openHome } from '../bench/support/product.mjs';
import { officialClients } from './support/officialClients.mjs';
import { HttpBridge } from './support/httpBridge.mjs';
import { mcpTools } from './support/mcpTools.mjs';
import { declaredScenarios, leftOutChecks, whyNotApplicable } from './support/notApplicable.mjs';
import { recordRows } from './support/record.mjs';

const rounds = ['2026-07-28', '2025-11-25', '2025-06-18', '2026-07-28'];
const limitMs = 120_000;
const only = process.env.PROOF_ONLY ?? '';

/** Runs a program to its end, and answers how it ended and what it wrote. */
async function run(command, args, options = {}) {
  const child = spawn(command, args, {
    timeout: limitMs,
    stdio: ['ignore', 'pipe', 'pipe'],
    ...options,
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) child[name].on('data', (part) => (texts[name] += part));
  const code = await new Promise((resolve) => child.once('close', resolve));
  return { code, ...texts };
}

/** Scenarios of the suite, with the revisions each is for. */
async function scenariosOf({ node, conformance }) {
  const { stdout } = await run(node, [conformance, 'list', '--server']);
  const found = [...stdout.matchAll(/^ +- (\S+) \[(.*)\]$/gm)].map(([, name, revisions]) => ({
    name,
    revisions: revisions.split(','),
  }));
  if (found.length < 40) throw new Error(`The suite lists ${found.length} scenarios:\n${stdout}`);
  const gone = declaredScenarios.filter((name) => !found.some((one) => one.name === name));
  if (gone.length > 0)
    throw new Error(`Declared as not applicable, unknown to the suite: ${gone.join(', ')}`);
  return found;
}

/** Checks of one scenario: how many passed, which failed, which were left out. */
async function check({ node, conformance }, url, scenario, revision) {
  const folder = mkdtempSync(join(tmpdir(), 'strobe-conformance-'));
  try {
    const asked = ['--url', url, '--scenario', scenario, '--spec-version', revision, '-o', folder];
    const { code, stdout, stderr } = await run(node, [conformance, 'server', ...asked]);
    const file = readdirSync(folder, { recursive: true }).find((name) =>
      name.endsWith('checks.json'),
    );
    if (file === undefined)
      return { passed: 0, failed: [`no result (exit ${code}): ${stdout}${stderr}`], leftOut: [] };
    const checks = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    const bad = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    const isLeftOut = ({ id }) => Object.hasOwn(leftOutChecks, id);
    return {
      passed: checks.filter(({ status }) => status === 'SUCCESS').length,
      failed: bad
        .filter((one) => !isLeftOut(one))
        .map(({ id, errorMessage }) => `${id}: ${errorMessage}`),
      leftOut: bad.filter(isLeftOut).map(({ id }) => `${id}: ${leftOutChecks[id]}`),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function suiteRows(tools, home) {
  const rows = [];
  const bridge = await HttpBridge.start(home, client);
  const scenarios = (await scenariosOf(tools)).filter(({ name }) => name.includes(only));
  try {
    const verdicts = new Map();
    for (const revision of rounds)
      for (const { name, revisions } of scenarios) {
        if (whyNotApplicable(name) !== undefined || !revisions.includes(revision)) continue;
        const result = await check(tools, bridge.url, name, revision);
        console.log(`${revision} ${name}: ${result.passed} passed, ${result.failed.length} failed`);
        for (const failure of result.failed) console.log(`  ${failure}`);
        verdicts.set(name, [...(verdicts.get(name) ?? []), { revision, ...result }]);
      }
    for (const { name } of scenarios) {
      const results = verdicts.get(name) ?? [];
      const why = whyNotApplicable(name);
      const failed = results.flatMap((one) => one.failed);
      const leftOut = [...new Set(results.flatMap((one) => one.leftOut))];
      rows.push({
        reader: 'conformance suite',
        what: name,
        outcome: why !== undefined ? 'not applicable' : failed.length > 0 ? 'failed' : 'passed',
        'checks passed': results.map(({ revision, passed }) => `${revision}: ${passed}`).join(', '),
        note: why ?? [...failed, ...leftOut].join('; '),
      });
    }
  } finally {
    await bridge.close();
  }
  return rows;
}

/** What the Inspector asks, and what must be in its answer. */
const inspections = [
  [['tools/list', '--strict'], 'debug_launch'],
  [['tools/call', '--tool-name', 'debug_session', '--tool-arg', 'action=list'], 'no sessions'],
  [['tools/call', '--tool-name', 'debug_session', '--tool-arg', 'action=lost'], '"isError": true'],
  [['resources/list'], 'strobe://sql'],
  [['resources/read', '--uri', 'strobe://sql'], 'calls'],
  [['resources/templates/list'], 'strobe://session/{sessionId}/output'],
  [['prompts/list'], 'find-the-bug'],
  [
    ['prompts/get', '--prompt-name', 'why-slow', '--prompt-args', 'function=shop::checkout'],
    'shop::checkout',
  ],
];

async function inspectorRows({ node, inspector }, home) {
  const rows = [];
  for (const [[method, ...options], wanted] of inspections) {
    const args = [
      inspector,
      '--cli',
      process.execPath,
      client,
      'mcp',
      '--method',
      method,
      ...options,
    ];
    const { code, stdout, stderr } = await run(node, args, { env: home.env, cwd: home.project });
    const isRight = (code === 0 || wanted.includes('isError')) && stdout.includes(wanted);
    if (!isRight) console.log(`Inspector ${method}: exit ${code}\n${stdout}\n${stderr}`);
    rows.push({
      reader: 'Inspector',
      what: [method, ...options].join(' '),
      outcome: isRight ? 'passed' : 'failed',
      'checks passed': isRight ? '1' : '0',
      note: isRight ? '' : `exit ${code}: ${stderr.trim()}`,
    });
  }
  return rows;
}

async function clientRows(home) {
  const rows = [];
  for (const official of officialClients) {
    const { revision, failed, passed } = await official.check(home, client);
    if (failed.length > 0) console.log(`${official.name}: ${failed.join('\n')}`);
    rows.push({
      reader: 'official client',
      what: official.name,
      outcome: failed.length === 0 ? 'passed' : 'failed',
      'checks passed': `${revision}: ${passed}`,
      note: failed.join('; '),
    });
  }
  return rows;
}

const tools = mcpTools();
const home = openHome();
try {
  const rows = [
    ...(await suiteRows(tools, home)),
    ...(await inspectorRows(tools, home)),
    ...(await clientRows(home)),
  ];
  const count = (wanted) => rows.filter(({ outcome }) => outcome === wanted).length;
  const versions = Object.entries(tools.versions)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');
  const verdict = `${count('passed')} passed, ${count('failed')} failed, ${count('not applicable')} not applicable (${versions})`;
  if (only === '') recordRows('conformance', verdict, rows);
  console.log(verdict);
  if (count('failed') > 0 || count('passed') === 0) process.exitCode = 1;
} finally {
  home.close();
}
