/*
 * C++ programs of random functions that call one another in all ways that leave or change a stack: exceptions, longjmp, tail calls,
 * threads, coroutines, signal handlers, large frames, an exit in the middle. `below(n)`: a random number.
 */
export function callsProgram({ below, isOneIn }, functions) {
  const signatures = Array.from({ length: functions }, () =>
    isOneIn(5) ? 'eight' : isOneIn(5) ? 'big' : 'one',
  );
  const other = () => below(functions);
  const results = { one: 'long', eight: 'long', big: 'Big' };
  const parameters = {
    one: 'long a',
    eight: 'long a, long b, long c, long d, long e, long f, long g, long h',
    big: 'long a',
  };
  const call = (number, given) =>
    ({
      one: `gen::f${number}(${given})`,
      eight: `gen::f${number}(${given}, 1, 2, 3, 4, 5, 6, 7)`,
      big: `gen::f${number}(${given}).v[2]`,
    })[signatures[number]];
  const head = (number) =>
    `__attribute__((noinline)) ${results[signatures[number]]} f${number}(${parameters[signatures[number]]})`;

  const steps = {
    call: () => `if (run::fuel()) s += ${call(other(), 's & 1023')};`,
    loop: () =>
      `for (int i = 0; i < ${2 + below(3)} && run::fuel(); i++) s += ${call(other(), 'i + (s & 7)')};`,
    catching: () =>
      `{ run::Jump *jumps = run::own->jumps; try { if (run::fuel()) s += ${call(other(), 's & 255')}; } catch (int thrown) { run::own->jumps = jumps; run::note("U ", own); s += thrown; } }`,
    throwing: (number) => `if (run::mixed(s) % ${3 + below(4)} == 0) throw ${number};`,
    jumping: () =>
      `{ run::Jump jump; jump.up = run::own->jumps; run::own->jumps = &jump; if (setjmp(jump.buf) == 0) { if (run::fuel()) s += ${call(other(), 's & 255')}; } else run::note("J ", own); run::own->jumps = jump.up; }`,
    longJump: () =>
      `if (run::own->jumps && run::mixed(s) % ${3 + below(3)} == 1) longjmp(run::own->jumps->buf, 1);`,
    thread: () => `if (run::mixed(s) % 5 == 2) s += run::inThread(run::c${other()}, s & 63);`,
    coroutine: () =>
      `if (run::mixed(s) % 3 == 1) s += run::inCoroutine(run::c${other()}, run::c${other()}, s & 63);`,
    yielding: () => 'run::yield();',
    signal: () =>
      `if (run::fuel() && run::mixed(s) % 3 == 0) s += run::bySignal(run::c${other()}, s & 63);`,
    through: () => `if (run::fuel()) s += run::through(run::c${other()}, s & 63);`,
    recursion: (number) => `if (a > 0 && run::fuel()) s += ${call(number, '(a & 7) / 2')};`,
    ending: () => 'if (run::isEnding && run::mixed(s) % 7 == 3) std::exit(3);',
  };
  const usual = ['call', 'call', 'loop', 'recursion', 'yielding', 'through'];
  const rare = Object.keys(steps).filter((one) => !usual.includes(one));

  const lines = ['#include "calls.hpp"', 'namespace gen {'];
  for (let number = 0; number < functions; number++) lines.push(`${head(number)};`);
  lines.push('}', 'namespace run {');
  for (let number = 0; number < functions; number++)
    lines.push(`static long c${number}(long a) { return ${call(number, 'a')}; }`);
  lines.push('}', 'namespace gen {');
  for (let number = 0; number < functions; number++) {
    const signature = signatures[number];
    const result = (value) =>
      signature === 'big'
        ? `{ long r = run::leave(${number}, ${value}); return Big{{1, 2, r, 4, 5}}; }`
        : `return run::leave(${number}, ${value});`;
    const alike = signatures.flatMap((one, i) => (one === signature && i !== number ? [i] : []));
    lines.push(`${head(number)} {`, `const int own = run::enter(${number}, a);`);
    if (signature !== 'eight' && alike.length > 0 && isOneIn(6)) {
      const next = alike[below(alike.length)];
      lines.push(
        `if (!run::fuel()) ${result('a')}`,
        `run::own->log += "T ${number}\\n";`,
        `return f${next}(a + 1);`,
        '}',
      );
      continue;
    }
    const chosen = Array.from({ length: 1 + below(4) }, () => {
      const names = isOneIn(2) ? usual : rare;
      return names[below(names.length)];
    });
    const isLong = chosen.includes('jumping');
    lines.push(`${isLong ? 'volatile ' : ''}long s = a * ${1 + below(9)} + ${number};`);
    for (const name of chosen) lines.push(steps[name](number));
    lines.push(result('s & 0xffffff'), '}');
  }
  lines.push(
    '}',
    'int main(int, char **words) {',
    `run::start(words[1], ${isOneIn(2)});`,
    'long sum = 0;',
    'for (int i = 0; i < 12; i++) {',
    'run::own->fuel = 150;',
    `static const run::Call calls[] = {${Array.from({ length: functions }, (_unused, i) => `run::c${i}`).join(', ')}};`,
    `sum += run::atBase(calls[(i * 7) % ${functions}], i);`,
    '}',
    'std::printf("%ld\\n", sum);',
    'run::isEnding = true;',
    'run::own->fuel = 300;',
    `sum += run::atBase(run::c${other()}, 5) + run::atBase(run::c${other()}, 6);`,
    'return static_cast<int>(sum & 63);',
    '}',
  );
  return lines.join('\n');
}
