/* A program of Go as large as one of some hundred packages: functions, methods, generic ones, closures and types in each. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './record.mjs';

const packages = 200;
const perPackage = 100;

const one = (i) => `
type Item${i} struct {
	Name  string
	Count int
	Tags  map[string][]int
	Next  *Item${i}
}

func (t *Item${i}) Add(name string, count int) (int, error) {
	if count < 0 {
		return t.Count, fmt.Errorf("%s: %d of %v", name, count, t)
	}
	t.Name, t.Count = name, t.Count+count
	t.Tags[name] = append(t.Tags[name], count)
	return t.Count, nil
}

func (t Item${i}) String() string {
	return strings.Join([]string{t.Name, strconv.Itoa(t.Count), fmt.Sprint(len(t.Tags))}, " ")
}

func Work${i}(items []Item${i}, by func(Item${i}) bool) (sum int) {
	sort.Slice(items, func(a, b int) bool { return items[a].Count < items[b].Count })
	for _, item := range pick(items, by) {
		more, err := item.Add(item.String(), len(items))
		if err == nil {
			sum += more
		}
	}
	return sum
}
`;

function source(name) {
  const all = Array.from({ length: perPackage }, (_, i) => i);
  const calls = all.map(
    (i) =>
      `\tsum += Work${i}([]Item${i}{{Count: n}}, func(t Item${i}) bool { return t.Count > n })\n`,
  );
  return `package ${name}

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
)

func pick[T any](items []T, by func(T) bool) (picked []T) {
	for _, item := range items {
		if by(item) {
			picked = append(picked, item)
		}
	}
	return picked
}
${all.map(one).join('')}
func All(n int) (sum int) {
${calls.join('')}	return sum
}
`;
}

/** Some 100 MB, with compressed debug information as Go has it; built in some minutes, and cached by content. */
export function buildGoScale() {
  const names = Array.from({ length: packages }, (_, i) => `part${i}`);
  const main = `package main

import (
${names.map((name) => `\t"scale/${name}"\n`).join('')})

func main() {
	println(${names.map((name) => `${name}.All(1)`).join(' + ')})
}
`;
  const key = createHash('sha256').update(main).update(source('part')).digest('hex');
  const folder = join(root, '.cache', 'bench', `go${key.slice(0, 16)}`);
  const built = join(folder, 'scale');
  if (existsSync(built)) return built;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'go.mod'), 'module scale\n\ngo 1.22\n');
  writeFileSync(join(folder, 'main.go'), main);
  for (const name of names) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, `${name}.go`), source(name));
  }
  execFileSync('go', ['build', '-o', 'scale', '.'], { cwd: folder, stdio: 'inherit' });
  return built;
}
