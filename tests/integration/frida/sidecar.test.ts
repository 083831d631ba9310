import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { FrameReader } from '../../../src/base/frames.ts';
import { startOwned } from '../../../src/base/process.ts';
import { provisionFrida } from '../../../src/collector/frida/provision.ts';
import { hostMessage, hostWire } from '../../../src/protocol/host.ts';
import { surroundings } from './frida.ts';

describe('the Python side', () => {
  it('says it is ready in one frame and ends when its stdin ends', async () => {
    const { folder, version } = await provisionFrida(surroundings);
    const args = ['-I', '-S', surroundings.paths.fridaSidecar, folder];
    await using host = await startOwned({ command: 'python3', args });
    const [chunk] = await once(host.stdout, 'data');
    const [frame] = new FrameReader(hostWire.maxFrameBytes).push(chunk);
    const head = frame?.toString('utf8', 4, 4 + frame.readUInt32LE(0)) ?? '';
    expect(hostMessage.parse(JSON.parse(head))).toEqual({ event: 'ready', version: hostWire.version, frida: version });
    host.stdin.destroy();
    expect(await host.ended).toEqual({ code: 0, signal: null });
  });

  it('says why Frida cannot be used', async () => {
    const args = ['-I', '-S', surroundings.paths.fridaSidecar, '/nonexistent'];
    await using host = await startOwned({ command: 'python3', args });
    const [chunk] = await once(host.stdout, 'data');
    expect(String(chunk)).toContain('"unusable"');
    expect(await host.ended).toEqual({ code: 0, signal: null });
  });
});
