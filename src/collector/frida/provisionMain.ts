import { mkdirSync } from 'node:fs';
import { homeOf } from '../../base/home.ts';
import { StrobeError } from '../../model/errors.ts';
import { provisionFrida } from './provision.ts';

/* Installs Frida before its first use, for set-up and `strobe doctor --fix`: words on standard error, status 1 when it failed. */

const { path: home } = homeOf(process.env);
const say = (text: string): void => void process.stderr.write(`${text}\n`);
try {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const python = process.env['STROBE_FRIDA_PYTHON'] ?? 'python3';
  await provisionFrida({ home, python, progress: say });
} catch (error) {
  const why = error instanceof StrobeError ? error.text : String(error);
  say(`Frida could not be installed. ${why}`);
  process.exitCode = 1;
}
