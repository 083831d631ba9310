import { describe, expect, it } from 'vitest';
import {
  exitStatus,
  signalName,
  signalNumber,
} from '../../../src/collector/supervisor/decodedExit.ts';

describe('a wait status', () => {
  it.each([
    [0x0000, { kind: 'exited', code: 0 }],
    [0xff00, { kind: 'exited', code: 255 }],
    [0x000f, { kind: 'signalled', signal: 'SIGTERM', number: 15, coreDumped: false }],
    [0x008b, { kind: 'signalled', signal: 'SIGSEGV', number: 11, coreDumped: true }],
    [0x0022, { kind: 'signalled', signal: 'SIG34', number: 34, coreDumped: false }],
  ])('%i', (status, expected) => {
    expect(exitStatus(status)).toEqual(expected);
  });

  it('names signals as people know them', () => {
    expect(signalName(6)).toBe('SIGABRT');
    expect(signalNumber('SIGABRT')).toBe(6);
    expect(signalNumber('SIGIOT')).toBe(6);
    expect(signalNumber('SIG34')).toBe(34);
    expect(signalNumber('SIGNOPE')).toBeNull();
  });
});
