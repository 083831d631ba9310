import type { CallView, ObjectValue, Value } from './query.ts';

/** The name under which what a call returned is asked for. */
const RESULT = 'return';

/**
 * The call with nothing but the values that are asked for: `cents`, `cart.id`, `args[0].id`, `return`, `return.offset`.
 * Paths go through pointers; one that leads nowhere in this call is left out.
 */
export function withShown(call: CallView, asked: readonly string[]): CallView {
  const paths = byName(call, asked);
  const shown = paths.flatMap((path) => {
    const value = path === RESULT || path.startsWith(`${RESULT}.`) ? null : argumentAt(call, path);
    return value === null ? [] : [{ name: path, value }];
  });
  return { ...call, arguments: shown, returns: shownResult(call.returns, paths) };
}

/** What differs among calls folded into one (`TreeNode.varying`), of the values that are asked for. */
export function shownVarying(
  call: CallView,
  varying: readonly string[],
  asked: readonly string[],
): string[] {
  const paths = byName(call, asked);
  return paths.flatMap((path) => {
    const exact = varying.find((text) => text.startsWith(`${path}=`));
    if (exact !== undefined) return [exact];
    const [base = path] = path.split('.');
    const differs = base !== path && varying.some((text) => text.startsWith(`${base}=`));
    return differs ? [`${base === RESULT ? RESULT : path}=?`] : [];
  });
}

/** `args[0].id` by the name of the first argument. */
function byName({ arguments: given }: CallView, paths: readonly string[]): string[] {
  return paths.map((path) =>
    path.replace(/^args\[(\d+)\]/, (whole, at: string) => given[Number(at)]?.name ?? whole),
  );
}

function shownResult(returns: Value, paths: readonly string[]): Value {
  if (paths.includes(RESULT)) return returns;
  const fields = paths.flatMap((path) => {
    const name = path.startsWith(`${RESULT}.`) ? path.slice(RESULT.length + 1) : '';
    const value = name === '' ? null : valueAt(returns, name);
    return value === null ? [] : [{ name, value }];
  });
  return fields.length === 0 ? { kind: 'void' } : { kind: 'object', object: { fields, left: 0 } };
}

function argumentAt(call: CallView, path: string): Value | null {
  return inFields(call.arguments, path);
}

function valueAt(value: Value, path: string): Value | null {
  switch (value.kind) {
    case 'pointer':
      return value.target ? valueAt(value.target, path) : null;
    case 'variant':
      return value.value ? valueAt(value.value, path) : null;
    case 'object':
      return inFields(value.object.fields, path);
    default:
      return null;
  }
}

/** A field may have a dotted name itself. */
function inFields(fields: ObjectValue['fields'], path: string): Value | null {
  for (const { name, value } of fields) {
    if (name === path) return value;
    const inner = path.startsWith(`${name}.`) ? valueAt(value, path.slice(name.length + 1)) : null;
    if (inner !== null) return inner;
  }
  return null;
}
