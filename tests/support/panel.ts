import { gtk3, stageFolder } from './needs.ts';
import { buildTarget } from './targets.ts';

/** The environment of a daemon whose programs may have a display of their own (need stage). */
export const withStage = { PATH: `${stageFolder}:${process.env['PATH'] ?? ''}` };

/** A program of GTK 3 with one of each usual widget; it prints what they are made to do. */
export function buildPanel(): string {
  const libraries = ['libgobject-2.0.so.0', 'libglib-2.0.so.0'].map((name) =>
    gtk3.replace('libgtk-3.so.0', name),
  );
  return buildTarget('ui/panel.c', [gtk3, ...libraries, '-Wl,--allow-shlib-undefined']);
}
