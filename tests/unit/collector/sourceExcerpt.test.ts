import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { excerptOf } from '../../../src/collector/source/sourceExcerpt.ts';
import type { StackFrame } from '../../../src/model/endings/crashReport.ts';
import { suiteFolder } from '../../support/folder.ts';

const folder = suiteFolder();

function linesAround(file: string, line: number): readonly string[] | undefined {
  const frame: StackFrame = {
    pc: '0x0',
    function: 'f',
    module: file,
    frameAddress: null,
    offset: 0,
    file,
    line,
    isInlined: false,
    isInterrupted: false,
    isGuess: false,
    isOwn: true,
    variables: [],
  };
  return excerptOf([frame])?.lines;
}

test('[stop.line] an excerpt has three lines before and after, as far as the file has them, and is that of the file as it is', () => {
  const file = join(folder, 'source.c');
  for (const text of [
    '',
    'a',
    'a\n',
    '\n\n\nx\n\n\n\ny',
    '1\n2\n3\n4\n5\n6\n7\n8\n9',
    'é\r\nü\n\n😀\n',
  ]) {
    writeFileSync(file, text);
    const lines = text.split('\n');
    for (let line = 1; line < 14; line++)
      expect(linesAround(file, line)).toEqual(lines.slice(Math.max(0, line - 4), line + 3));
  }
  expect(linesAround(join(folder, 'nowhere.c'), 1)).toBeUndefined();
});
