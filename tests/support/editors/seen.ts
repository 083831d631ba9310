import { at, listAt, numberAt, textAt } from '../read.ts';
import type { Wire } from './wire.ts';

/** What an editor shows when a thread stops. */
export interface Seen {
  readonly reason: string;
  readonly threadId: number;
  readonly frames: readonly Frame[];
  /** Of the newest frame. */
  readonly scopes: readonly Scope[];
}

export interface Frame {
  readonly id: number;
  readonly name: string;
  readonly line: number;
  /** Where its code is. */
  readonly pc: string;
}

interface Scope {
  readonly name: string;
  readonly reference: number;
  readonly values: Readonly<Record<string, string>>;
}

export function framesIn(body: unknown): Frame[] {
  return listAt(body, 'stackFrames').map((one) => ({
    id: numberAt(one, 'id'),
    name: textAt(one, 'name'),
    line: numberAt(one, 'line'),
    pc: textAt(one, 'instructionPointerReference'),
  }));
}

/** Both editors unfold the scopes that are not expensive. */
export async function scopesIn(wire: Wire, frameId: number): Promise<Scope[]> {
  const scopes = listAt(await wire.request('scopes', { frameId }), 'scopes');
  const cheap = scopes.filter((one) => at(one, 'expensive') !== true);
  return await Promise.all(
    cheap.map(async (one) => {
      const reference = numberAt(one, 'variablesReference');
      const variables = listAt(
        await wire.request('variables', { variablesReference: reference }),
        'variables',
      );
      const values: Record<string, string> = {};
      for (const value of variables) values[textAt(value, 'name')] = textAt(value, 'value');
      return { name: textAt(one, 'name'), reference, values };
    }),
  );
}
