import type { ShapeOption } from '../../../../model/values/shape.ts';
import type { Printer } from './printer.ts';

/** std::optional. */
export const optionals: Printer = {
  names: /^optional</,
  shape(view) {
    const [type] = view.arguments();
    const engaged = view.word('_M_engaged');
    const payload = view.field('_M_payload');
    if (!type || engaged === null || !payload) return null;
    const shape = view.inner(type);
    return {
      kind: 'choice',
      name: view.name,
      bytes: view.bytes,
      at: engaged,
      size: 1,
      options: [{ low: '0', high: '0', name: 'none', offset: 0, shape: null }],
      otherwise: { low: '0', high: '0', name: '', offset: payload.offset, shape },
    };
  },
};

/** std::variant: the alternatives lie over each other, an index behind them. */
export const variants: Printer = {
  names: /^variant</,
  shape(view) {
    const types = view.arguments();
    const index = view.field('_M_index');
    if (!index || types.length === 0) return null;
    const { building } = view;
    const options = types.map((type, i): ShapeOption => ({
      low: String(i),
      high: String(i),
      name: building.types.nameOf(type, 0).replace(/<.*$/, ''),
      offset: 0,
      shape: view.inner(type),
    }));
    return {
      kind: 'choice',
      name: view.name,
      bytes: view.bytes,
      at: index.offset,
      size: building.bytesOf(index.type),
      options,
      otherwise: { low: '0', high: '0', name: 'valueless', offset: 0, shape: null },
    };
  },
};
