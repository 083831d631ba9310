/* C++ programs of random functions, each of whose calls prints what it was given and gave back. */
const scalars = [
  'uint16_t',
  'int16_t',
  'int',
  'unsigned',
  'long',
  'bool',
  'float',
  'double',
  'unsigned long',
  'long long',
];
const forms = {
  value: { seen: (own) => own, given: (name) => `std::move(${name})`, read: (name) => name },
  shared: { seen: (own) => `const ${own}&`, given: (name) => name, read: (name) => name },
  changed: { seen: (own) => `${own}&`, given: (name) => name, read: (name) => name },
  pointer: { seen: (own) => `${own}*`, given: (name) => `&${name}`, read: (name) => `*${name}` },
  moved: {
    seen: (own) => `${own}&&`,
    given: (name) => `std::move(${name})`,
    read: (name) => name,
  },
};

/** `below(n)`: a random number. */
export function cppProgram({ below, isOneIn }, functions) {
  const pick = (list) => list[below(list.length)];
  const known = [];
  const lines = ['#include "values.hpp"'];

  function type(depth) {
    const kind = below(100);
    if (depth > 2 || kind < 40) return pick(scalars);
    const inner = () => type(depth + 1);
    if (kind < 52) return 'Text';
    if (kind < 58) return `std::vector<${pick(['int', 'long', 'Text', 'double', 'uint16_t'])}>`;
    if (kind < 60) return `std::${pick(['deque', 'list'])}<${pick(['int', 'Text', 'double'])}>`;
    if (kind < 65)
      return `std::array<${pick(['int', 'long', 'float', 'uint16_t'])}, ${1 + below(5)}>`;
    if (kind < 72) return `std::optional<${inner()}>`;
    if (kind < 78) return `std::pair<${inner()}, ${inner()}>`;
    if (kind < 82) return `std::unique_ptr<${inner()}>`;
    if (kind < 85) return `std::map<int, ${pick(['int', 'Text', 'double'])}>`;
    return known.length > 0 ? pick(known) : pick(scalars);
  }

  function structure(name) {
    const fields = Array.from({ length: 1 + below(5) }, () => type(1));
    const each = (text, between = ' ') => fields.map((one, i) => text(one, i)).join(between);
    lines.push(
      `struct ${name} { ${each((one, i) => `${one} f${i};`)} };`,
      `template <> struct Of<${name}> {`,
      `static ${name} made(Numbers &g) { ${name} v; ${each((one, i) => `v.f${i} = Of<${one}>::made(g);`)} return v; }`,
      `static uint64_t sum(const ${name} &v) { return ${each((one, i) => `Of<${one}>::sum(v.f${i})`, ' + ')}; }`,
      `static void json(const ${name} &v, Text &o) { ${each((one, i) => `o += "${i === 0 ? '{' : ','}\\"f${i}\\":"; Of<${one}>::json(v.f${i}, o);`)} o += '}'; }`,
      '};',
    );
    known.push(name);
  }

  function enumeration(name) {
    const options = 2 + below(3);
    const list = Array.from({ length: options }, (_unused, i) => `V${i} = ${i * 3}`).join(', ');
    lines.push(
      `enum class ${name}${pick(['', ' : short', ' : long', ' : unsigned'])} { ${list} };`,
      `template <> struct Of<${name}> {`,
      `static ${name} made(Numbers &g) { return static_cast<${name}>(g.next() % ${options} * 3); }`,
      `static uint64_t sum(${name} v) { return static_cast<uint64_t>(v); }`,
      `static void json(${name} v, Text &o) { o += "\\"V" + std::to_string(static_cast<long>(v) / 3) + "\\""; }`,
      '};',
    );
    known.push(name);
  }

  for (let i = 0; i < 8; i++) {
    structure(`S${i}`);
    enumeration(`E${i}`);
  }

  const made = Array.from({ length: functions }, (_unused, number) => {
    const parameters = Array.from({ length: 1 + below(7) }, () => {
      const form = pick(['value', 'value', 'shared', 'changed', 'pointer', 'moved']);
      const own = type(0);
      // What a callee does not read, a compiler need not write for it.
      const isUsed = (form === 'value' && !scalars.includes(own)) || !isOneIn(4);
      return { form, own, isUsed };
    });
    return { number, parameters, result: isOneIn(7) ? null : type(0) };
  });

  lines.push('uint64_t sink;', 'namespace gen {');
  for (const { number, parameters, result } of made) {
    const list = parameters.map(({ form, own }, i) => `${forms[form].seen(own)} a${i}`).join(', ');
    const sums = parameters.flatMap(({ form, own, isUsed }, i) =>
      isUsed ? [`Of<${own}>::sum(${forms[form].read(`a${i}`)})`] : [],
    );
    const body = result
      ? `Numbers g{s * ${number} + ${number + 1}}; g.next(); return Of<${result}>::made(g);`
      : 'sink += s;';
    lines.push(
      `${isOneIn(2) ? 'static ' : ''}__attribute__((noinline)) ${result ?? 'void'} f${number}(${list}) { uint64_t s = ${sums.join(' + ') || '0'}; ${body} }`,
    );
  }
  lines.push(
    '}',
    'int main(int, char **words) {',
    'uint64_t rounds = strtoul(words[1], nullptr, 10);',
    'Numbers g{rounds + 5};',
    'for (uint64_t i = 0; i < rounds; i++) {',
  );
  for (const { number, parameters, result } of made) {
    lines.push('{ Text o;');
    for (const [i, { own }] of parameters.entries()) {
      const isConstant = scalars.includes(own) && isOneIn(7);
      const constant = { bool: 'true', float: '2.5', double: '2.5' }[own] ?? '17';
      lines.push(
        `${own} a${i} = ${isConstant ? constant : `Of<${own}>::made(g)`};`,
        `o += "${i === 0 ? '{' : ','}\\"a${i}\\":"; Of<${own}>::json(a${i}, o);`,
      );
    }
    const given = parameters.map(({ form }, i) => forms[form].given(`a${i}`)).join(', ');
    // Nobody uses some results.
    if (result && !isOneIn(8))
      lines.push(
        `auto r = gen::f${number}(${given});`,
        `o += ",\\"return\\":"; Of<${result}>::json(r, o);`,
      );
    else lines.push(`gen::f${number}(${given});`);
    for (const i of parameters.keys()) lines.push(`keep(&a${i});`);
    lines.push(`std::printf("f${number} %s}\\n", o.c_str()); }`);
  }
  lines.push('} }');
  return lines.join('\n');
}
