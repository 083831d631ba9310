import type { Channel } from '../channel.ts';
import { SerialPorts } from './serialPorts.ts';

/** Serial ports that programs open by a path: pairs of pseudo-terminals, whose other ends are this channel. */
export function serial(programPath: string): Channel {
  const ports = new SerialPorts(programPath);
  return {
    name: 'serial',
    devices: ports,
    state() {
      const known = ports.all.map(({ text }) => text).join('; ');
      return ports.all.length > 0
        ? { kind: 'open', text: known }
        : {
            kind: 'available',
            text: 'open makes a serial port, which the program gets by its path; no modem lines (RTS, DTR)',
          };
    },
    input: {
      takesAddress: true,
      async send({ bytes, to }) {
        const port = ports.at(to);
        await port.send(Buffer.from(bytes));
        return { text: `sent through ${port.address}`, reply: null };
      },
    },
    output: ports.output,
  };
}
