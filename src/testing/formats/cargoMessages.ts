import type { BuildProblem } from '../../model/tests/testReport.ts';
import { sourcePath } from '../sourcePath.ts';
import { field, listField, numberField, textField } from './jsonFields.ts';
import { plainText } from './plainText.ts';

/*
 * What cargo writes with --message-format=json: an object a line, its kind in `reason`.
 * https://doc.rust-lang.org/cargo/reference/external-tools.html
 */

/** A program that was built. */
export interface CargoProgram {
  readonly path: string;
  /** What cargo calls it: `lib`, `bin`, `test` …; null when it is told as no text. */
  readonly kind: string | null;
  readonly name: string;
}

/** The program of a `compiler-artifact`; null of other messages and of libraries. */
export function cargoProgram(message: object): CargoProgram | null {
  if (textField(message, 'reason') !== 'compiler-artifact') return null;
  const path = textField(message, 'executable');
  const target = field(message, 'target');
  const kind = listField(target, 'kind')[0];
  if (path === null) return null;
  return {
    path,
    kind: typeof kind === 'string' ? kind : null,
    name: textField(target, 'name') ?? '',
  };
}

/** The error in a `compiler-message`; null of warnings and of other messages. */
export function cargoProblem(message: object, root: string): BuildProblem | null {
  if (textField(message, 'reason') !== 'compiler-message') return null;
  const said = field(message, 'message');
  const text = textField(said, 'message') ?? '';
  if (textField(said, 'level') !== 'error' || text.startsWith('aborting due to')) return null;
  const span = listField(said, 'spans').find((one) => field(one, 'is_primary') === true);
  const file = textField(span, 'file_name');
  const code = textField(field(said, 'code'), 'code');
  const label = textField(span, 'label');
  return {
    file: file === null ? null : sourcePath(file, root),
    line: numberField(span, 'line_start'),
    column: numberField(span, 'column_start'),
    message: `${code === null ? '' : `${code}: `}${plainText(text)}${label === null ? '' : ` (${label})`}`,
  };
}
