import { execFileSync, spawnSync } from 'node:child_process';
import { testFolder } from './folder.ts';
import { gtk3, stageFolder, type Need } from './needs.ts';
import { buildTarget, targetSource } from './targets.ts';

/** The environment of a daemon whose programs may have a display of their own (need stage). */
export const withStage = { PATH: `${stageFolder}:${process.env['PATH'] ?? ''}` };

const gtk3Parts = ['libgobject-2.0.so.0', 'libglib-2.0.so.0'];

/** A program of GTK 3 with one of each usual widget; it prints what they are made to do. */
export function buildPanel(): string {
  return buildGtk3('ui/panel.c', gtk3Parts);
}

/** A window of GTK 3 that asks to be fullscreen, maximised and iconified, and says what it became. */
export function buildStates(): string {
  return buildGtk3('ui/states.c', gtk3Parts);
}

/** Fifty keys of GTK 3 that can be made anew. */
export function buildKeys(): string {
  return buildGtk3('ui/keys.c', gtk3Parts);
}

/** A program of GTK 3 that copies and pastes as it is told. */
export function buildCopier(): string {
  return buildGtk3('ui/copier.c', ['libgdk-3.so.0', 'libglib-2.0.so.0']);
}

/** Knobs and a slider that a program of GTK 3 paints with cairo. */
export function buildKnobs(): readonly [string, ...string[]] {
  const names = ['libgdk-3.so.0', 'libcairo.so.2', 'libgobject-2.0.so.0', 'libm.so.6'];
  return [buildGtk3('ui/knobs.c', names)];
}

/** The same painted by Swing, in other sizes and colours. */
export function buildKnobsSwing(): readonly [string, ...string[]] {
  const folder = testFolder();
  execFileSync('javac', ['-d', folder, targetSource('ui/Knobs.java')], { stdio: 'pipe' });
  return ['java', '-cp', folder, 'Knobs'];
}

function buildGtk3(source: string, names: readonly string[]): string {
  const libraries = names.map((name) => gtk3.replace('libgtk-3.so.0', name));
  return buildTarget(source, [gtk3, ...libraries, '-Wl,--allow-shlib-undefined']);
}

export interface Panel {
  readonly need: Need;
  /** The command with its arguments. */
  readonly build: () => readonly [string, ...string[]];
  /** What is chosen in its box: GTK 4 does not name the items. */
  readonly noise: string;
}

/** The same panel in each toolkit. */
export const panels: Readonly<Record<string, Panel>> = {
  'GTK 3': { need: 'stage', build: () => [buildPanel()], noise: 'Noise' },
  'GTK 4': { need: 'gtk4', build: () => [buildPanel4()], noise: '#2' },
  'Qt 5': { need: 'qt5', build: () => [buildQt('ui/panelQt.cpp', 'Qt5Widgets')], noise: 'Noise' },
  'Qt 6': { need: 'qt6', build: () => [buildQt('ui/panelQt.cpp', 'Qt6Widgets')], noise: 'Noise' },
  Swing: { need: 'swing', build: buildPanelSwing, noise: 'Noise' },
};

/** A window in which much changes by itself and nothing that is done has an effect. */
export const restless: Readonly<Record<string, Pick<Panel, 'need' | 'build'>>> = {
  'GTK 3': { need: 'stage', build: () => [buildGtk3('ui/restless.c', gtk3Parts)] },
  'Qt 5': { need: 'qt5', build: () => [buildQt('ui/restlessQt.cpp', 'Qt5Widgets')] },
  'Qt 6': { need: 'qt6', build: () => [buildQt('ui/restlessQt.cpp', 'Qt6Widgets')] },
};

/** A window of Qt 5 that is silent for a minute once it is asked where its second label is. */
export function buildDeaf(): string {
  return buildQt('ui/deafQt.cpp', 'Qt5Widgets');
}

function buildPanel4(): string {
  const libraries = ['libgtk-4.so.1', 'libgobject-2.0.so.0', 'libglib-2.0.so.0'].map((name) =>
    gtk3.replace('libgtk-3.so.0', name),
  );
  return buildTarget('ui/panel4.c', [...libraries, '-Wl,--allow-shlib-undefined']);
}

function buildPanelSwing(): readonly [string, ...string[]] {
  const folder = testFolder();
  execFileSync('javac', ['-d', folder, targetSource('ui/Panel.java')], { stdio: 'pipe' });
  return ['java', '-cp', folder, 'Panel'];
}

function buildQt(source: string, library: string): string {
  const { stdout } = spawnSync('pkg-config', ['--cflags', '--libs', library]);
  return buildTarget(source, ['-fPIC', ...stdout.toString().trim().split(' ')]);
}
