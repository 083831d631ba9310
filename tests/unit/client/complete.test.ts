import { expect, test } from 'vitest';
import { wantedWords } from '../../../src/client/shell/complete.ts';
import { completionScripts } from '../../../src/client/shell/completionScripts.ts';
import { manifest } from '../../../src/client/manifest.ts';
import { manPage } from '../../../src/client/shell/manPage.ts';

test('[cli.completion] each place of a command line takes its words, ids, functions or tests', () => {
  const wanted = (...words: string[]) => wantedWords(manifest, words);
  expect(wanted('qu').words).toContain('query');
  expect(wanted('run', '--').words).toContain('--trace');
  expect(wanted('run', '--trace', 'sh').ask).toBe('function');
  expect(wanted('query', '').words).toContain('tree');
  expect(wanted('query', 'tree', '').ask).toBe('sessionId');
  expect(wanted('query', 'tree', '--root', '').ask).toBe('function');
  expect(wanted('query', 'stats', '--sort-by', '').words).toContain('p99');
  expect(wanted('query', 'stats', '--so').words).toContain('--sort-by');
  expect(wanted('trace', 'add', '').ask).toBe('function');
  expect(wanted('session', 'stop', '').ask).toBe('sessionId');
  expect(wanted('test', '--test', '').ask).toBe('test');
  for (const script of Object.values(completionScripts))
    expect(script).toContain('strobe complete');
});

test('[cli.man] the manual page has every command and reads as text', () => {
  const page = manPage(manifest);
  for (const { command } of manifest.commands)
    expect(page).toContain(`.SH STROBE ${command.toUpperCase()}`);
  expect(page).toContain('strobe run \\-\\-trace');
  expect(page).not.toMatch(/debug_[a-z]/);
});
