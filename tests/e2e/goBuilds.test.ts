import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { callsOf, linesOf } from '../support/calls.ts';
import { itNeeds } from '../support/needs.ts';
import { runToEnd } from '../support/runs.ts';
import { withClient } from '../support/suite.ts';

/** The package net brings the C library along, without code of C in the module: Go's own linker links it. */
const main = `package main

import (
	"fmt"
	"net"
	"os"
	"strings"

	"example.com/shop/price"
)

func main() {
	names := strings.Split("pen,ink", ",")
	fmt.Println(price.Of(names), net.ParseIP("10.0.0.1"))
	os.Exit(3)
}
`;
const price = `package price

import "sort"

//go:noinline
func Of(names []string) int {
	sort.Strings(names)
	return len(names) * 7
}
`;

describe('programs of Go as they are released', () => {
  const { home, client } = withClient();

  const built = (flags: readonly string[]): string => {
    const folder = join(home.project, 'shop');
    mkdirSync(join(folder, 'price'), { recursive: true });
    writeFileSync(join(folder, 'go.mod'), 'module example.com/shop\n\ngo 1.22\n');
    writeFileSync(join(folder, 'main.go'), main);
    writeFileSync(join(folder, 'price/price.go'), price);
    execFileSync('go', ['build', ...flags, '-o', 'shop', '.'], { cwd: folder });
    return join(folder, 'shop');
  };

  for (const [what, flags] of [
    ['-trimpath', []],
    ['-trimpath, position-independent', ['-buildmode=pie']],
    ['-trimpath, position-independent and stripped', ['-buildmode=pie', '-ldflags=-s -w']],
  ] as const)
    itNeeds(
      'go',
      `[go.trimmed] ${what}: @usercode is its own modules, and the run is as untraced`,
      async () => {
        const program = built(['-trimpath', ...flags]);
        const untraced = spawnSync(program, [], { encoding: 'utf8' });
        const run = await runToEnd(client, home, program, { patterns: ['@usercode'] });
        expect(run.exit).toEqual({ kind: 'exited', code: 3 });
        const lines = await linesOf(client, run.sessionId);
        expect(`${lines.map(({ text }) => text).join('\n')}\n`).toBe(untraced.stdout);
        const calls = await callsOf(client, run.sessionId);
        expect(calls.map((call) => call.function)).toEqual([
          'main.main',
          'example.com/shop/price.Of',
        ]);
      },
    );
});
