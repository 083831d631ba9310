import type { SourceFunction } from '../../model/functions/sourceFunction.ts';
import type { SourceWishes } from './sourceProcess.ts';

/** What is made of wishes, once for all processes of a session, which mostly have the same. */
export function oncePerWishes<C, Table>(
  make: (wishes: SourceWishes<C>) => Table,
): (wishes: SourceWishes<C>) => Table {
  const known = new WeakMap<readonly SourceFunction[], { of: SourceWishes<C>; table: Table }>();
  return (wishes) => {
    const before = known.get(wishes.functions);
    if (before && areSame(before.of, wishes)) return before.table;
    const table = make(wishes);
    known.set(wishes.functions, { of: wishes, table });
    return table;
  };
}

function areSame<C>(a: SourceWishes<C>, b: SourceWishes<C>): boolean {
  const watches = a.watches === b.watches || a.watches.size + b.watches.size === 0;
  const sites = a.sites === b.sites || a.sites.length + b.sites.length === 0;
  return (
    watches &&
    sites &&
    a.functions === b.functions &&
    a.policies === b.policies &&
    a.rules === b.rules
  );
}
