import type { DebugAdapter } from '../adapters/debugAdapter.ts';

/**
 * What a breakpoint says that an adapter stops threads at; whole sentences. `isConditional`: it has a condition; `isFromStart`: it was
 * set before its program began.
 */
export function adapterNotes(
  { name, notes, inSource }: Pick<DebugAdapter, 'name' | 'notes' | 'inSource'>,
  {
    isConditional,
    isFromStart,
  }: { readonly isConditional: boolean; readonly isFromStart: boolean },
): string[] {
  return [
    ...notes,
    'Stops the main process only: child processes run without it.',
    ...(inSource && isFromStart
      ? [
          `${name} came in while the program ran already: hits of its first moments are missed. Strobe's own code stops there ("adapter": "strobe").`,
        ]
      : []),
    ...(isConditional
      ? [`${name} decides the condition: only hits that meet it are counted.`]
      : []),
  ];
}

/** What a breakpoint waits for before its adapter is there. */
export function waitingFor({ name, inSource }: Pick<DebugAdapter, 'name' | 'inSource'>): string {
  return inSource
    ? `It waits until ${name} is in the program, which runs: hits before that are missed.`
    : `It waits until ${name} holds the program.`;
}
