/* Stops of Python, Node and Go programs beside what the language's own means say of the same run without Strobe. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../../../bench/support/record.mjs';
import { inspectorStops } from '../inspectorStops.mjs';
import { delveStops } from '../delveStops.mjs';
import { buildGo, delvePath, pythonPath } from './languages.mjs';
import { arrivals, ourStops } from './ourStops.mjs';

/** Runs in which no new stop may come. */
const mostRuns = 40;

export const scripts = {
  Python: { command: pythonPath, source: 'proof/targets/everyday.py', theirs: settraceStops },
  Node: {
    command: () => process.execPath,
    source: 'proof/targets/everyday.mjs',
    theirs: inspectorStops,
  },
  Go: {
    command: () => buildGo('everyday', 'proof/targets/everyday.go'),
    args: [],
    source: 'proof/targets/everyday.go',
    theirs: (source, asked) =>
      delveStops(delvePath, buildGo('everyday', 'proof/targets/everyday.go'), { source, ...asked }),
  },
};

function settraceStops(script, { lines, folder }) {
  const [plan, out] = ['plan.json', 'stops.jsonl'].map((name) => join(folder, name));
  writeFileSync(plan, JSON.stringify({ lines, arrivals, out }));
  execFileSync(pythonPath(), [join(root, 'proof/support/settraceStops.py'), script], {
    env: { ...process.env, STROBE_PLAN: plan },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: 120_000,
  });
  const rows = readFileSync(out, 'utf8').split('\n').filter(Boolean);
  return rows.map((row) => JSON.parse(row));
}

/** Compares until `wanted` stops are; answers counts and `differences` as texts. */
export async function compareScript(product, { command, args, source, theirs }, how) {
  const { random, wanted, most, folder } = how;
  const result = { stops: 0, frames: 0, values: 0, made: 0, absent: 0, differences: [] };
  const script = join(root, source);
  for (let run = 0; run < mostRuns && result.stops < wanted; run++) {
    const asked = { command: command(), args: args ?? [script], source, random, most };
    const ours = await ourStops(product, asked);
    if (ours.length === 0) continue;
    const lines = [...new Set(ours.map(({ frames }) => frames[0].line))];
    const told = await theirs(script, { lines, arrivals, folder });
    for (const { frames, arrival } of ours) {
      const [{ line, function: name }] = frames;
      const label = `${basename(source)}:${line} ${name} (${arrival})`;
      const their = told.find(
        (one) => one.line === line && one.arrival === arrival && one.frames[0].function === name,
      );
      result.stops++;
      if (their) compareFrames(frames, their.frames, label, result);
      else result.differences.push(`${label}: only Strobe stops there`);
    }
  }
  return result;
}

function compareFrames(ours, theirs, label, result) {
  for (const [i, their] of theirs.entries()) {
    const own = ours[i];
    const text = ({ function: name, file, line }) => `${name} ${basename(file ?? '?')}:${line}`;
    // The runtime's own frames have names and lines of their own.
    if (basename(their.file) !== basename(theirs[0].file)) continue;
    result.frames++;
    if (!own || text(own) !== text(their))
      return result.differences.push(
        `${label}: frame ${i} is ${own ? text(own) : 'missing'}, not ${text(their)}`,
      );
    if (own.variables)
      compareVariables(own.variables, their.variables, `${label} #${i} ${text(own)}`, result);
  }
}

function compareVariables(ours, theirs, label, result) {
  for (const [name, word] of Object.entries(theirs)) {
    // What Go's compiler keeps is no variable of the program: Strobe does not show it.
    if (name.startsWith('.autotmp_')) continue;
    const value = ours.find((one) => one.name === name)?.value;
    const told = value === undefined ? 'missing' : wordOf(value);
    // V8 has the name of a class in a scope of its body, too; Strobe shows it where it was declared.
    if (word === 'class') result.made++;
    // The inspector says `undefined` of what is not set yet; only closures tell which it is. Delve shows what the memory held before.
    else if (told === 'word:<unset>' && /^(word:undefined|number:|bool:|string:)/.test(word))
      result.absent++;
    else if (word === 'absent' || told === 'absent') result.absent++;
    else if (word === 'made' && told !== 'missing') result.made++;
    else if (isSame(told, word)) result.values++;
    else result.differences.push(`${label}: ${name} is ${told}, not ${word}`);
  }
}

function isSame(told, word) {
  if (told.startsWith('number:')) return Number(told.slice(7)) === Number(word.slice(7));
  return told.endsWith('…') ? word.startsWith(told.slice(0, -1)) : told === word;
}

function wordOf(value) {
  switch (value.kind) {
    case 'int':
      return `number:${value.text}`;
    case 'float':
      return `number:${value.value}`;
    case 'bool':
      return `bool:${value.value}`;
    case 'string':
      return `string:${value.text}${value.truncated ? '…' : ''}`;
    case 'list':
      return `list:${value.total}`;
    case 'map':
      return `map:${value.total}`;
    case 'word':
      return `word:${value.text}`;
    case 'notCaptured':
    case 'unreadable':
    case 'circular':
      return 'absent';
    default:
      return 'made';
  }
}
