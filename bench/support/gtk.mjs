import { join } from 'node:path';
import { buildProgram } from './build.mjs';

const folder = '/usr/lib/x86_64-linux-gnu';
const libraries = ['libgtk-3.so.0', 'libgobject-2.0.so.0', 'libglib-2.0.so.0'];

/** The panel of GTK 3 that tests use; throws where GTK 3 is not installed. */
export function buildPanel() {
  const linked = libraries.map((name) => join(folder, name));
  return buildProgram(
    'panel',
    ['tests/targets/ui/panel.c'],
    [...linked, '-Wl,--allow-shlib-undefined'],
  );
}
