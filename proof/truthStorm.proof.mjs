/*
 * Random verbs of three clients (two over MCP, one command line) on one session, and after each what the answers
 * said beside the kernel and the program's own counters: which threads stand still, values in memory,
 * stacks, registers, breakpoint instructions in the code, whether it lives.
 * TRUTH_VERBS (default 1000 per language), TRUTH_SEED, TRUTH_CLIENTS (3); arguments choose languages.
 * TRUTH_TRACE=1 prints each verb.
 */
import { languages } from './support/truth/languages.mjs';
import { randomOf } from './support/random.mjs';
import { recordLanguages } from './support/record.mjs';
import { openStorm, StormClient } from './support/storm.mjs';
import { CommandLine } from './support/truth/commandLine.mjs';
import { TruthStorm } from './support/truth/storm.mjs';

const wanted = Number(process.env.TRUTH_VERBS ?? 1000);
const seed = Number(process.env.TRUTH_SEED ?? Date.now() % 1_000_000);
const clients = Number(process.env.TRUTH_CLIENTS ?? 3);
const named = process.argv.slice(2);
const isRecorded = process.env.TRUTH_RECORD !== '0';

const rows = [];
let failures = 0;
for (const [name, language] of Object.entries(languages)) {
  if (named.length > 0 && !named.includes(name)) continue;
  const storm = openStorm();
  Object.assign(storm.env, language.env);
  const mcp = await Promise.all([0, 1].slice(0, clients).map(async () => StormClient.start(storm)));
  const all = clients > 2 ? [...mcp, new CommandLine(storm)] : mcp;
  const truth = new TruthStorm({ storm, language, clients: all, random: randomOf(seed) });
  try {
    await truth.run(wanted);
  } finally {
    for (const client of mcp) await client.close();
    storm.stop();
    storm.close();
  }
  for (const text of truth.differences) console.log(`! ${name}, seed ${seed}: ${text}`);
  failures += truth.differences.length;
  const row = {
    language: name,
    clients,
    seed,
    ...truth.counts,
    different: truth.differences.length,
  };
  console.log(JSON.stringify(row));
  rows.push(row);
}
const verdictOf = (all) => {
  const sum = (key) => all.reduce((total, row) => total + row[key], 0);
  return `${sum('verbs')} random verbs: ${sum('stops')} stops, ${sum('compared')} comparisons, ${sum('different')} different`;
};
console.log(`seed ${seed}: ${verdictOf(rows)}`);
if (isRecorded) recordLanguages('truthStorm', verdictOf, rows);
if (failures > 0) process.exitCode = 1;
