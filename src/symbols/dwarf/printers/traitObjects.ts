import type { Printer } from './printer.ts';

/** `&dyn Trait`, `Box<dyn Trait>`: an object's address and that of its vtable. */
export const traitObjects: Printer = {
  names: /^(?:&(?:mut )?dyn |(?:alloc::boxed::)?Box<dyn )/,
  shape(view) {
    const pointer = view.word('pointer');
    const vtable = view.word('vtable');
    if (pointer === null || vtable === null) return null;
    const { building } = view;
    const plain = { kind: 'pointer', name: view.name } as const;
    const address = building.add({ kind: 'scalar', bytes: 8, type: plain });
    return {
      kind: 'record',
      name: view.name,
      bytes: view.bytes,
      fields: [
        { name: 'pointer', offset: pointer, shape: address },
        { name: 'vtable', offset: vtable, shape: address },
      ],
      left: 0,
    };
  },
};
