/*
 * Installs what tests and `npm run proof ui` use of programs with windows: toolkits, programs of others, Chromium, OCR,
 * GTK for Python (`strobe demo ui`), by apt-get (as root; another user is told the line), and PySide6 into .cache/pyside. `npm test` needs none of it: what is
 * missing is skipped there, by name. A display server alone comes without installing: scripts/stagePrograms.mjs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const packages = [
  'xvfb openbox dbus at-spi2-core libgtk-3-0 libgtk-4-1 qtbase5-dev qt6-base-dev default-jdk libatk-wrapper-java',
  'galculator gnome-calculator kcalc gtk-4-examples qalculate-gtk audacity chromium',
  'tesseract-ocr tesseract-ocr-eng python3-gi gir1.2-gtk-3.0',
].flatMap((line) => line.split(' '));
const python = join(dirname(dirname(fileURLToPath(import.meta.url))), '.cache', 'pyside');

function run(program, ...words) {
  const { status, error } = spawnSync(program, words, { stdio: 'inherit' });
  if (status !== 0) throw new Error(`${program} ${words.join(' ')}: ${error ?? status}`);
}

try {
  const apt = ['install', '-y', '--no-install-recommends', ...packages];
  if (process.getuid() === 0) {
    run('apt-get', '-q', 'update');
    run('apt-get', '-q', ...apt);
  } else console.log(`sudo apt-get ${apt.join(' ')}`);
  if (!existsSync(join(python, 'bin', 'pip'))) run('python3', '-m', 'venv', python);
  run(join(python, 'bin', 'pip'), '-q', 'install', 'PySide6-Essentials==6.12.0');
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
