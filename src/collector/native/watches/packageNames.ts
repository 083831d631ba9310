import type { Expression } from '../../../model/watches/expression.ts';
import type { FoundFunction } from '../../../model/functions/foundFunction.ts';
import type { VariableMatch } from '../../../model/functions/foundVariable.ts';

interface Known {
  variables(name: string, depth: number): Promise<VariableMatch>;
}

/** Names of which an expression has its own meaning. */
const reserved: ReadonlySet<string> = new Set(['args', 'this', 'return']);

/**
 * The expression with `main.total` as one name where `main` is no variable and no parameter but a package of Go, whose
 * variables are named with it.
 */
export async function withPackages(
  expression: Expression,
  functions: readonly FoundFunction[],
  known: Known,
): Promise<Expression> {
  const isMet = async (name: string, inside = name): Promise<boolean> => {
    const { variables, refused, nearest } = await known.variables(name, 0);
    return (
      variables.length + refused.length > 0 || nearest.some((near) => near.startsWith(`${inside}.`))
    );
  };
  const names = new Set<string>();
  for (const [name, field] of memberNames(expression)) {
    const isParameter = functions.some((fn) => fn.parameters.some((one) => one.name === name));
    if (reserved.has(name) || isParameter || (await isMet(name))) continue;
    const whole = `${name}.${field}`;
    if (await isMet(whole, name)) names.add(whole);
  }
  return names.size === 0 ? expression : joined(expression, names);
}

/** Each `name.field` whose name stands alone. */
function memberNames(expression: Expression): (readonly [name: string, field: string])[] {
  switch (expression.kind) {
    case 'member': {
      const { of, field } = expression;
      return of.kind === 'name' ? [[of.name, field]] : memberNames(of);
    }
    case 'unary':
    case 'cast':
      return memberNames(expression.of);
    case 'index':
      return [...memberNames(expression.of), ...memberNames(expression.at)];
    case 'binary':
      return [...memberNames(expression.left), ...memberNames(expression.right)];
    case 'call':
      return expression.args.flatMap(memberNames);
    case 'forall':
      return memberNames(expression.head);
    default:
      return [];
  }
}

function joined(expression: Expression, names: ReadonlySet<string>): Expression {
  const inner = (one: Expression): Expression => joined(one, names);
  switch (expression.kind) {
    case 'member': {
      const { of, field } = expression;
      const name = of.kind === 'name' ? `${of.name}.${field}` : '';
      return names.has(name) ? { kind: 'name', name } : { ...expression, of: inner(of) };
    }
    case 'unary':
    case 'cast':
      return { ...expression, of: inner(expression.of) };
    case 'index':
      return { ...expression, of: inner(expression.of), at: inner(expression.at) };
    case 'binary':
      return { ...expression, left: inner(expression.left), right: inner(expression.right) };
    case 'call':
      return { ...expression, args: expression.args.map(inner) };
    case 'forall':
      return { ...expression, head: inner(expression.head) };
    default:
      return expression;
  }
}
