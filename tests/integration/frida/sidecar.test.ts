import type { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { FrameReader } from '../../../src/base/frames.ts';
import { startOwned } from '../../../src/base/process.ts';
import { readAll, readChunks } from '../../../src/base/readAll.ts';
import { provisionFrida } from '../../../src/collector/frida/provision.ts';
import { hostMessage, hostWire } from '../../../src/protocol/host.ts';
import { surroundings } from './frida.ts';

async function firstFrames(stream: Readable): Promise<Buffer[]> {
  const frames = new FrameReader(hostWire.maxFrameBytes);
  for await (const chunk of readChunks(stream)) return frames.push(chunk);
  return [];
}

describe('the Python side', () => {
  it('says it is ready in one frame and ends when its stdin ends', async () => {
    const { folder, version } = await provisionFrida(surroundings);
    const args = ['-I', '-S', surroundings.paths.fridaSidecar, folder];
    await using host = await startOwned({ command: surroundings.python, args });
    const [frame] = await firstFrames(host.stdout);
    const head = frame?.toString('utf8', 4, 4 + frame.readUInt32LE(0)) ?? '';
    expect(hostMessage.parse(JSON.parse(head))).toEqual({
      event: 'ready',
      version: hostWire.version,
      frida: version,
    });
    host.stdin.destroy();
    expect(await host.ended).toEqual({ code: 0, signal: null });
  });

  it('says why Frida cannot be used', async () => {
    const args = ['-I', '-S', surroundings.paths.fridaSidecar, '/nonexistent'];
    await using host = await startOwned({ command: surroundings.python, args });
    expect((await readAll(host.stdout)).toString()).toContain('"unusable"');
    expect(await host.ended).toEqual({ code: 0, signal: null });
  });
});
