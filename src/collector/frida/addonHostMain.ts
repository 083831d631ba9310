/*
 * The host that speaks Frida through the npm addon: the same frames as sidecar.py, over stdin and
 * stdout of a Node process of its own. It ends when its stdin ends and it stands in no program.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { encodeFrame, FrameReader } from '../../base/frames.ts';
import { readChunks } from '../../base/readAll.ts';
import { hostRequest, hostWire } from '../../protocol/host.ts';
import type { HostMessage } from '../../protocol/host.ts';
import { AddonHost } from './addonRequests.ts';
import type { Addon } from './addonRequests.ts';

function send(head: HostMessage, data?: Uint8Array | null): void {
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  process.stdout.write(encodeFrame(length, text, data ?? Buffer.alloc(0)));
}

/** The package is optional: a literal import would need it for type checking. */
async function loadAddon(): Promise<{ addon: Addon; version: string }> {
  const name: string = 'frida';
  const loaded: unknown = await import(name);
  // <package>/build/src/frida.js; the package exports no way to its version.
  const manifest: unknown = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.resolve(name)), 'utf8'),
  );
  return { addon: asAddon(loaded), version: versionOf.parse(manifest).version };
}

const versionOf = z.object({ version: z.string() });

/** The door to an untyped package. */
function asAddon(loaded: unknown): Addon {
  if (typeof loaded !== 'object' || loaded === null || !('getLocalDevice' in loaded)) {
    throw new Error('the frida package has another shape');
  }
  // oxlint-disable-next-line typescript/consistent-type-assertions, typescript/no-unsafe-type-assertion
  return loaded as Addon;
}

async function main(): Promise<void> {
  let host: AddonHost;
  try {
    const { addon, version } = await loadAddon();
    host = new AddonHost(await addon.getLocalDevice(), send);
    send({ event: 'ready', version: hostWire.version, frida: version });
  } catch (error) {
    send({ event: 'unusable', reason: error instanceof Error ? error.message : String(error) });
    return;
  }
  const frames = new FrameReader(hostWire.maxFrameBytes);
  for await (const chunk of readChunks(process.stdin)) {
    for (const frame of frames.push(chunk)) {
      const headLength = frame.readUInt32LE(0);
      const head: unknown = JSON.parse(frame.toString('utf8', 4, 4 + headLength));
      host.take(hostRequest.parse(head), frame.subarray(4 + headLength));
    }
  }
  await host.leave();
}

process.stdout.on('error', () => undefined); // The daemon is gone, as the end of stdin tells.
await main();
// The addon's own threads would hold an orderly end up.
process.stdout.write('', () => process.exit(0));
