/* Calls of tools as command lines. */
import { spawn } from 'node:child_process';
import { client as program } from '../../../bench/support/product.mjs';

const commands = {
  debug_breakpoint: 'break',
  debug_continue: 'continue',
  debug_inspect: 'inspect',
  debug_memory: 'memory',
  debug_query: 'query',
  debug_session: 'session',
  debug_trace: 'trace',
};
const callLimitMs = 90_000;

/** Answers as StormClient does. */
export class CommandLine {
  #storm;

  constructor(storm) {
    this.#storm = storm;
  }

  async call(tool, args) {
    const words = [program, commands[tool], ...Object.entries(args).flatMap(flagsOf), '--json'];
    const child = spawn(process.execPath, words, {
      env: this.#storm.env,
      cwd: this.#storm.project,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: callLimitMs,
    });
    const [out, err] = [[], []];
    child.stdout.on('data', (chunk) => out.push(chunk));
    child.stderr.on('data', (chunk) => err.push(chunk));
    const status = await new Promise((resolve) => child.once('close', resolve));
    const [text, errors] = [out, err].map((chunks) => Buffer.concat(chunks).toString());
    const answer = parsed(text) ?? parsed(errors);
    return { isError: status !== 0, text: text + errors, answer };
  }
}

function flagsOf([name, value]) {
  const flag = `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
  if (value === true) return [flag];
  const all = Array.isArray(value) ? value : [value];
  return all.flatMap((one) => [flag, typeof one === 'object' ? JSON.stringify(one) : String(one)]);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
