import { firstMethod, type DynamicOption } from '../../../../model/values/shape.ts';
import type { TypeView } from '../types/typeView.ts';
import { implementersOf } from '../types/vtables.ts';
import type { Printer } from './printer.ts';

/** Before the value that an Rc or Arc leads to lie two counts, and what its alignment asks for. */
const countBytes = 16;

/**
 * `&dyn Trait`, `Box<dyn Trait>`, `Rc<dyn Trait>`: an object's address and that of its vtable, which tells the object's type, and
 * whose methods name it where its vtable is not described.
 */
export const traitObjects: Printer = {
  names:
    /^(?:&(?:mut )?dyn |&(?:mut )?\(dyn |(?:alloc::boxed::)?Box<\(?dyn |(?:alloc::(?:rc|sync)::)?A?[rR]c<\(?dyn )/,
  shape(view) {
    const pointer = view.word('pointer');
    const vtable = view.field('vtable');
    if (pointer === null || !vtable) return null;
    const { building, name, bytes } = view;
    const table = view.pointee(vtable.type);
    const code = { kind: 'pointer', name, code: true } as const;
    const target =
      table && building.bytesOf(table) > firstMethod
        ? building.add({
            kind: 'inside',
            name,
            bytes: firstMethod + 8,
            offset: firstMethod,
            shape: building.add({ kind: 'scalar', bytes: 8, type: code }),
          })
        : null;
    const dynamic = {
      table: vtable.offset - pointer,
      inside: false,
      word: firstMethod,
      options: target === null ? [] : typesOf(view),
    };
    const address = building.add({
      kind: 'pointer',
      name,
      bytes: 8,
      at: 0,
      skip: 0,
      target: null,
      dynamic,
    });
    const shape = building.add({
      kind: 'pointer',
      name,
      bytes: 8,
      at: 0,
      skip: 0,
      isFree: true,
      target,
    });
    return {
      kind: 'record',
      name,
      bytes,
      left: 0,
      fields: [
        { name: 'pointer', offset: pointer, shape: address },
        { name: 'vtable', offset: vtable.offset, shape },
      ],
    };
  },
};

/** What the object may be. */
function typesOf(view: TypeView): DynamicOption[] {
  const { building } = view;
  const isCounted = /^(?:alloc::(?:rc|sync)::)?A?[rR]c</.test(view.name);
  return implementersOf(building.types.info, principalOf(view.name)).map(
    ({ name, type, apart, drop }) => {
      const skip = isCounted ? Math.max(countBytes, building.alignmentOf(type)) : 0;
      const size = building.bytesOf(type);
      const option: DynamicOption = { name, apart, skip, size, drop, shape: null };
      view.behind(type, (found) => (option.shape = found));
      return option;
    },
  );
}

/** The trait of `&(dyn Trait + Send)`, without the types it is bound to: `Fn<(i32), Output=i64>`. */
function principalOf(name: string): string {
  const from = name.indexOf('dyn ') + 'dyn '.length;
  let nested = 0;
  let end = from;
  for (; end < name.length; end++) {
    const character = name.charAt(end);
    if (nested === 0 && (character === ',' || name.startsWith(' + ', end))) break;
    if (character === '<' || character === '(') nested++;
    // The arrow of a function's type closes nothing.
    if ((character === '>' && name.charAt(end - 1) !== '-') || character === ')') nested--;
    if (nested < 0) break;
  }
  return name.slice(from, end).replace(/, \w+=[^=]*>$/, '>');
}
