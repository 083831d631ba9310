import type { Printer } from './printer.ts';

/** std::function: what calls the stored object, or nothing. */
export const functions: Printer = {
  names: /^function</,
  shape(view) {
    const manager = view.word('_M_manager');
    const invoker = view.word('_M_invoker');
    if (manager === null || invoker === null) return null;
    const { building } = view;
    const type = { kind: 'pointer', name: view.name } as const;
    const shape = building.add({ kind: 'scalar', bytes: 8, type });
    return {
      kind: 'choice',
      name: view.name,
      bytes: view.bytes,
      at: manager,
      size: 8,
      options: [{ low: '0', high: '0', name: 'empty', offset: 0, shape: null }],
      otherwise: { low: '0', high: '0', name: '', offset: invoker, shape },
    };
  },
};
