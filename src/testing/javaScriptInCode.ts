import type { TestAdapter } from './adapter.ts';
import { escapedPattern, namesOf } from './javaScriptNames.ts';

/** How files of tests and of what they share are called. */
const testFiles = /(?:^|\/)(?:__tests__|tests?)\/|[.-](?:test|spec)\.[cm]?[jt]sx?$/;

/** Where tests of JavaScript stand in sources: their functions have no names. */
export const javaScriptInCode: NonNullable<TestAdapter['inCode']> = {
  functions: () => [],
  declaration: (test) => {
    const name = namesOf(test).at(-1) ?? '';
    return new RegExp(`\\b(?:it|test|step)\\b[^\\n]*?\\(\\s*["'\`]${escapedPattern(name)}["'\`]`);
  },
  markOf: (id) => id,
  isByPlace: true,
  testFiles,
};
