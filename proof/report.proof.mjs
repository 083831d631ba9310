/*
 * `strobe report` in a real browser: a crash with two threads, and a million calls. Each section
 * is opened, the tree is folded by mouse and keys and searched; nothing is in the console, the
 * page asks for nothing, and the file stays below 2 MB.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { client, openHome } from '../bench/support/product.mjs';
import { browser, openPage } from '../bench/support/browser.mjs';

const MOST_BYTES = 2_000_000;

const source = `
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
namespace shop {
int price(const std::string &name, int count) { return int(name.size()) * count; }
int checkout(const std::string &name, int count) {
  if (count % 1000 == 999) throw std::invalid_argument("<script>alert(1)</script> & too many");
  return price(name, count);
}
void serve(int rounds) {
  for (int i = 0; i < rounds; i++) try { checkout("item", i); } catch (const std::exception &) {}
}
int crash(const int *p) { return *p; }
}
int main(int argc, char **argv) {
  int rounds = atoi(argv[1]);
  std::thread other(shop::serve, rounds / 2);
  shop::serve(rounds - rounds / 2);
  other.join();
  printf("served %d\\n", rounds);
  fflush(stdout);
  return argc > 2 ? shop::crash(nullptr) : 0;
}
`;

async function main() {
  if (browser() === null) {
    console.log('skipped: no browser (Debian: apt-get install chromium)');
    return;
  }
  const home = openHome();
  try {
    writeFileSync(join(home.project, 'shop.cpp'), source);
    run('g++', '-g', '-O1', '-fno-inline', '-pthread', '-o', 'shop', 'shop.cpp');
    await small();
    await large();
  } finally {
    home.close();
  }

  function run(command, ...args) {
    const ended = spawnSync(command, args, { cwd: home.project, env: home.env, encoding: 'utf8' });
    return { ...ended, text: `${ended.stdout}${ended.stderr}` };
  }

  function report(name, ...program) {
    const launched = run(
      process.execPath,
      client,
      'launch',
      '--trace',
      '{"pattern":"shop::*","sampling":"off"}',
      '--wait-for',
      'exit',
      '--wait-ms',
      '50000',
      '--json',
      '--',
      ...program,
    );
    const { sessionId } = JSON.parse(launched.stdout);
    const made = run(process.execPath, client, 'report', sessionId, '--out', name);
    assert.equal(made.status, 0, made.text);
    return join(home.project, name);
  }

  async function small() {
    const file = report('crash.html', './shop', '3000', 'x');
    const text = readFileSync(file, 'utf8');
    assert.ok(!text.includes('<script>alert'), 'nothing of the program is markup');
    for (const dark of [false, true]) {
      const page = await openPage(pathToFileURL(file).href, { dark });
      try {
        await walk(page);
        assert.deepEqual(page.problems, []);
        const folder = join('.cache', 'report');
        mkdirSync(folder, { recursive: true });
        for (const [key, name] of [
          ['1', 'summary'],
          ['2', 'tree'],
          ['3', 'timeline'],
          ['4', 'flame'],
        ]) {
          await page.evaluate('document.activeElement.blur()');
          await page.press(key, key);
          writeFileSync(
            join(folder, `${name}-${dark ? 'dark' : 'light'}.png`),
            await page.screenshot(),
          );
        }
        const [red] = await page.evaluate(
          'getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)',
        );
        assert.equal(red < 128, dark);
      } finally {
        page.close();
      }
    }
    console.log(
      `crash: ${statSync(file).size} bytes, light and dark, every section, no problem in the console`,
    );
  }

  async function large() {
    const file = report('large.html', './shop', '500000');
    const { size } = statSync(file);
    const page = await openPage(pathToFileURL(file).href);
    try {
      const calls = await page.evaluate('data.totals.calls');
      console.log(`${calls} calls: ${size} bytes`);
      assert.ok(size <= MOST_BYTES);
      for (const key of ['2', '3', '4', '5']) await page.press(key, key);
      assert.deepEqual(page.problems, []);
    } finally {
      page.close();
    }
  }
}

async function walk(page) {
  const shown = (selector) =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.offsetParent !== null`);
  const textOf = (selector) =>
    page.evaluate(`document.querySelector(${JSON.stringify(selector)}).textContent`);
  assert.match(await textOf('#story'), /CRASH SIGSEGV in shop::crash/);
  assert.match(await textOf('#figures'), /calls .* nothing lost/);
  await page.press('2', '2');
  assert.ok(await shown('#tree'));
  assert.match(await textOf('#tree'), /shop::serve/);
  const openRows = () =>
    page.evaluate(
      "[...document.querySelectorAll('#tree .row')].filter((row) => row.offsetParent !== null).length",
    );
  const before = await openRows();
  await page.click('#tree .row');
  assert.ok((await openRows()) < before, 'a click folds');
  await page.press('ArrowRight');
  assert.equal(await openRows(), before, 'an arrow unfolds');
  await page.press('ArrowDown');
  await page.evaluate('document.activeElement.blur()');
  await page.press('/', '/');
  await page.type('PRICE');
  assert.match(await page.evaluate("document.querySelector('.hit').textContent"), /shop::price/);
  await page.press('Escape');
  assert.equal(await page.evaluate("document.querySelectorAll('.hit').length"), 0);
  for (const [key, section] of [
    ['3', 'timeline'],
    ['4', 'flame'],
  ]) {
    await page.press(key, key);
    const inked = await page.evaluate(
      `(() => { const canvas = document.querySelector('#${section} canvas'); const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height); return data.some((one) => one > 0); })()`,
    );
    assert.ok(inked, `${section} is drawn`);
  }
  await page.press('5', '5');
  assert.match(await textOf('#functions'), /shop::price/);
  await page.press('6', '6');
  assert.match(await textOf('#exceptions'), /<script>alert\(1\)<\/script> & too many/);
  await page.press('8', '8');
  assert.match(await textOf('#output'), /served 3000/);
}

await main();
