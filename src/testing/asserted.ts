import type { TestResult } from '../model/tests/testReport.ts';
import { actualValues, asResult } from './actualValues.ts';
import { standsIn } from './canonicalText.ts';
import { failedStatement, type StatementForm } from './failedStatement.ts';

/** A value that a failure names. */
export interface AssertedValue {
  readonly text: string;
  /** As a filter of results compares it; null: only its text can be compared. */
  readonly plain: string | number | boolean | null;
}

/** What a failed assertion says. */
export interface Asserted {
  /** Some call may have returned one of them, the likeliest first. */
  readonly values: readonly AssertedValue[];
  /** Names the functions that it calls. */
  readonly text: string;
  /** What the test assigned to its variables before it; absent: `text` has it. */
  readonly assigned?: string;
}

/** C, C++ and Rust: `let found: Vec<u64> = …`, `Found *found = …`, `found = …`. */
const braces: StatementForm = {
  assignment:
    /^\s+(?:let\s+(?:mut\s+)?)?(?:[\w:<>,&*\s]*?[\s*&])?([A-Za-z_]\w*)\s*(?::[^=]+)?=(?![=])/,
  start: /^[A-Za-z_][^;]*\{\s*$|\bfn \w+/,
  continued: (line) => !/[;{}]\s*$/.test(line),
};

/** Of frameworks that tell values and expressions in the message. */
export function nativeAsserted({ failure, file }: TestResult): Asserted {
  if (failure === null) return { values: [], text: '' };
  const statement = failedStatement(failure, file, braces);
  const texts = actualValues(failure);
  const isLiteral = (text: string): boolean => standsIn(statement.text, text);
  // What the test itself wrote down was not computed, unless all was.
  const computed = texts.every(isLiteral) ? texts : texts.filter((text) => !isLiteral(text));
  return {
    values: computed.map((text) => ({ text, plain: isComposed(text) ? null : asResult(text) })),
    text: [failure.message, statement.text].join('\n'),
    assigned: statement.assigned.join('\n'),
  };
}

/** A container or an object, whose text is compared. */
function isComposed(text: string): boolean {
  return /^[[{(]|^[A-Z]\w*[({]/.test(text.replace(/^(?:\w+::)+/, ''));
}
