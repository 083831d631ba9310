import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from '@babel/parser';
import { expect, test } from 'vitest';
import { ClientError, withCorrectedLine } from '../../../src/client/clientError.ts';
import { parseCommand } from '../../../src/client/commandLine.ts';
import { inTerminalWords, withCommands } from '../../../src/client/commandText.ts';
import { commandHelp, overview } from '../../../src/client/help.ts';
import { manifest } from '../../../src/client/manifest.ts';
import { painter } from '../../../src/client/terminal/paint.ts';

/** What only a coding agent says. */
const agentsWords = /\bdebug_|\bMCP (?:client|server)|structuredContent/;

/** Folders whose sentences reach a person at a terminal. */
const speaking = ['daemon', 'model', 'collector', 'db', 'testing'];

/** Sentences for coding agents alone. */
const forAgents = /daemon\/mcp\/|daemon\/toolCalls|db\/sql\/sqlGuide|testing\/detailsFile/;

function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (path.endsWith('.ts') && !forAgents.test(path)) yield path;
  }
}

/** Sentences in a source file: texts with a space, what is filled in as a name. */
function sentences(path: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) {
      node.forEach(visit);
      return;
    }
    const of = new Map(Object.entries(node));
    const value: unknown = of.get('value');
    if (of.get('type') === 'StringLiteral' && typeof value === 'string') found.push(value);
    const quasis: unknown = of.get('quasis');
    if (of.get('type') === 'TemplateLiteral' && Array.isArray(quasis))
      found.push(quasis.map((part: { value: { cooked: string } }) => part.value.cooked).join('x'));
    for (const [name, child] of of) if (name !== 'loc') visit(child);
  };
  visit(
    parse(readFileSync(path, 'utf8'), { sourceType: 'module', plugins: ['typescript'] }).program,
  );
  return found.filter((text) => text.includes(' '));
}

/** All sources are parsed. */
const parsingMs = 180_000;

test(
  '[cli.words] no sentence of ours names a tool of an agent in a terminal',
  { timeout: parsingMs },
  () => {
    const all = speaking.flatMap((folder) => [...sources(join('src', folder))].flatMap(sentences));
    expect(all.length).toBeGreaterThan(1000);
    const left = all
      .map((text) => inTerminalWords(text, manifest.commands))
      .filter((text) => agentsWords.test(text));
    expect(left).toEqual([]);
  },
);

test('[cli.words] helps, hints and refusals of the client neither', () => {
  const helps = [overview(manifest), ...manifest.commands.map(commandHelp)];
  const hints = Object.values(manifest.errors).map(({ hint }) =>
    withCommands(hint, manifest.commands, true),
  );
  for (const text of [...helps, ...hints]) expect(text).not.toMatch(agentsWords);
  expect(overview(manifest).indexOf('strobe run')).toBeLessThan(200);
});

const lines: readonly (readonly [string[], string])[] = [
  [['query', '--veiw', 'tree'], 'strobe query --view tree'],
  [['query', '--view=tere'], 'strobe query --view=tree'],
  [['query', 'tere', '--limit', '3'], 'strobe query tree --limit 3'],
  [['launch', './shop', '3'], 'strobe launch -- ./shop 3'],
  [['launch', './shop', '3', '--stdin', 'open', '-v'], 'strobe launch --stdin open -- ./shop 3 -v'],
  [
    ['launch', '--tty', './a', '--ui', '--x=1', '--', 'b'],
    'strobe launch --tty --ui -- ./a --x=1 -- b',
  ],
  [['trace', 'a::*'], "strobe trace add 'a::*'"],
  [['session', 'stpo'], 'strobe session stop'],
  [['query', 'shop-2026'], 'strobe query events shop-2026'],
];
test.each(lines)('[cli.wrong] %j is answered with the line that works', (words, right) => {
  const command = manifest.commands.find((one) => one.command === words[0]);
  if (!command) throw new Error(words[0]);
  let hint = '';
  try {
    parseCommand(command, words.slice(1));
  } catch (error) {
    const corrected = withCorrectedLine(error, words);
    hint = corrected instanceof ClientError ? corrected.hint : '';
  }
  expect(hint).toBe(right);
});

test('[cli.colour] colours change no letter, and are off where nobody wants or sees them', () => {
  const text =
    'app-2026-11-27-02h58-jpdu · app\n! note\nf() ✗ unwound by E  3 ns  [c1.2]\nnext:\n  strobe query  — why';
  const terminal = { TERM: 'xterm' };
  const shown = painter(true, terminal)(text);
  // oxlint-disable-next-line no-control-regex -- these are the colours
  expect(shown.replaceAll(/\x1b\[\d+m/g, '')).toBe(text);
  expect(shown).not.toBe(text);
  for (const plain of [
    painter(false, terminal),
    painter(true, { ...terminal, NO_COLOR: '1' }),
    painter(true, { TERM: 'dumb' }),
  ])
    expect(plain(text)).toBe(text);
});
