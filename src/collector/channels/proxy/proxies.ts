import { StrobeError } from '../../../model/errors.ts';
import { loopbackAddress } from '../loopback.ts';
import { faultOf, type FaultDone } from './fault.ts';
import { FaultProxy } from './faultProxy.ts';

const MOST = 16;

/** The proxies of a daemon. They outlive sessions: a program that is started again finds its proxy. */
export class Proxies {
  readonly #all: FaultProxy[] = [];

  get all(): readonly FaultProxy[] {
    return this.#all;
  }

  /** The proxy of a server, a new one if there is none. Throws BAD_PARAMETER. */
  async open(to: string): Promise<FaultProxy> {
    const far = loopbackAddress(to);
    const known = this.#find(to);
    if (known) return known;
    if (this.#all.length >= MOST)
      throw new StrobeError(
        'BAD_PARAMETER',
        `There are ${MOST} proxies, and no more are opened.`,
        `Close one: debug_channel {"action":"close","channel":"net","to":"${this.#all[0]?.to}"}.`,
      );
    const proxy = await FaultProxy.start(to, far);
    this.#all.push(proxy);
    return proxy;
  }

  /** Throws BAD_PARAMETER where there is none. */
  close(to: string): FaultProxy {
    const proxy = this.#of(to);
    this.#all.splice(this.#all.indexOf(proxy), 1);
    proxy.close();
    return proxy;
  }

  /** Sets a fault of the proxy of a server. */
  fault(to: string | null, text: string): FaultProxy {
    const proxy = this.#of(to ?? this.#all.at(-1)?.to ?? '');
    proxy.set(faultOf(text));
    return proxy;
  }

  #find(to: string): FaultProxy | undefined {
    return this.#all.find((one) => one.to === to || one.address === to);
  }

  #of(to: string): FaultProxy {
    const proxy = this.#find(to);
    if (proxy) return proxy;
    const known = this.#all.map((one) => one.to).join(', ');
    throw new StrobeError(
      'BAD_PARAMETER',
      to === ''
        ? 'Which server the fault is for is not given.'
        : `There is no proxy of "${to}"${known === '' ? '' : `, but of ${known}`}.`,
      `debug_channel {"action":"open","channel":"net","to":"127.0.0.1:8080"} makes one of a server; a fault names the same.`,
    );
  }
}

/** What was done to an answer: a text that did not occur in it was not replaced. */
export function doneText({ text, replaced }: FaultDone): string {
  return replaced === null ? text : `${text}, replaced ${replaced} times`;
}

/** What a proxy does and did, in one line. */
export function proxyText({ address, to, connections, answers, faults, done }: FaultProxy): string {
  const parts = [
    `proxy ${address} → ${to}: ${connections} connections, ${answers} answers`,
    ...(faults.length === 0 ? [] : [`to come: ${faults.join(', ')}`]),
    ...(done.length === 0
      ? []
      : [`done: ${done.map((one) => `${doneText(one)} (answer ${one.answer})`).join(', ')}`]),
  ];
  return parts.join('; ');
}
