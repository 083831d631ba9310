/* Rust programs of random functions, each of whose calls prints what it was given and gave back. */
const scalars = 'u8 u16 u32 u64 i8 i16 i32 i64 usize bool f32 f64'.split(' ');

/** `below(n)`: a random number. */
export function rustProgram({ below, isOneIn }, functions) {
  const pick = (list) => list[below(list.length)];
  const known = [];
  const lines = ['#![allow(dead_code, unused)]', 'include!("values.rs");'];

  function type(depth) {
    const kind = below(100);
    if (depth > 2 || kind < 42) return pick(scalars);
    const inner = () => type(depth + 1);
    if (kind < 52) return 'String';
    if (kind < 58) return `Vec<${pick(['u16', 'i32', 'u64', 'String'])}>`;
    if (kind < 63) return `[${pick(['u16', 'i32', 'u64'])}; ${1 + below(5)}]`;
    if (kind < 70) return `Option<${inner()}>`;
    if (kind < 76) return `Result<${inner()}, ${inner()}>`;
    if (kind < 82) return `(${inner()}, ${inner()})`;
    if (kind < 86) return `Box<${inner()}>`;
    return known.length > 0 ? pick(known) : pick(scalars);
  }

  function structure(name) {
    const fields = Array.from({ length: 1 + below(5) }, () => type(1));
    const each = (text, between = ' ') => fields.map((one, i) => text(one, i)).join(between);
    lines.push(
      `pub struct ${name} { ${each((one, i) => `f${i}: ${one}`, ', ')} }`,
      `impl Made for ${name} { fn made(g: &mut Numbers) -> Self { ${name} { ${each((_, i) => `f${i}: Made::made(g)`, ', ')} } } }`,
      `impl Sum for ${name} { fn sum(&self) -> u64 { ${each((_, i) => `self.f${i}.sum()`, ' + ')} } }`,
      `impl Json for ${name} { fn json(&self, o: &mut String) { ${each((_, i) => `o.push_str("${i === 0 ? '{' : ','}\\"f${i}\\":"); self.f${i}.json(o);`)} o.push('}'); } }`,
    );
    known.push(name);
  }

  function choice(name) {
    const options = Array.from({ length: 2 + below(3) }, () => (isOneIn(3) ? null : type(1)));
    const each = (text, between = ', ') => options.map((one, i) => text(one, i)).join(between);
    const last = options.length - 1;
    lines.push(
      `pub enum ${name} { ${each((one, i) => `V${i}${one === null ? '' : `(${one})`}`)} }`,
      `impl Made for ${name} { fn made(g: &mut Numbers) -> Self { match g.next() % ${options.length} { ${each((one, i) => `${i === last ? '_' : i} => ${name}::V${i}${one === null ? '' : '(Made::made(g))'}`)} } } }`,
      `impl Sum for ${name} { fn sum(&self) -> u64 { match self { ${each((one, i) => `${name}::V${i}${one === null ? ` => ${i}` : `(one) => one.sum() + ${i}`}`)} } } }`,
      `impl Json for ${name} { fn json(&self, o: &mut String) { match self { ${each((one, i) => `${name}::V${i}${one === null ? ` => o.push_str("\\"V${i}\\"")` : `(one) => named(o, "V${i}", one)`}`)} } } }`,
    );
    known.push(name);
  }

  for (let i = 0; i < 8; i++) {
    structure(`S${i}`);
    choice(`E${i}`);
  }

  const forms = { value: ['', ''], shared: ['&', '&'], changed: ['&mut ', '&mut '] };
  const made = Array.from({ length: functions }, (_unused, number) => {
    const parameters = Array.from({ length: 1 + below(6) }, () => {
      const form = pick(['value', 'value', 'shared', 'changed']);
      const own = type(0);
      const isText = own === 'String' && form === 'shared';
      // What a callee does not read, a compiler need not write for it.
      const isUsed = (form === 'value' && !scalars.includes(own)) || !isOneIn(4);
      return { form, own, seen: isText ? '&str' : forms[form][0] + own, isUsed };
    });
    return { number, parameters, result: isOneIn(7) ? null : type(0) };
  });

  lines.push('pub static mut SINK: u64 = 0;', 'mod gen {', 'use super::*;');
  for (const { number, parameters, result } of made) {
    const list = parameters.map(({ seen }, i) => `a${i}: ${seen}`).join(', ');
    const sums = parameters.flatMap(({ isUsed }, i) => (isUsed ? [`a${i}.sum()`] : []));
    const body = result
      ? `let mut g = Numbers(s * ${number} + ${number + 1}); g.next(); Made::made(&mut g)`
      : 'unsafe { SINK = SINK.wrapping_add(s); }';
    lines.push(
      `#[inline(never)] pub fn f${number}(${list})${result ? ` -> ${result}` : ''} { let s: u64 = ${sums.join(' + ') || '0'}; ${body} }`,
    );
  }
  lines.push(
    '}',
    'fn main() {',
    'let rounds: u64 = std::env::args().nth(1).unwrap().parse().unwrap();',
    'let mut g = Numbers(rounds + 5);',
    'for _ in 0..rounds {',
  );
  for (const { number, parameters, result } of made) {
    lines.push('{ let mut o = String::new();');
    for (const [i, { own }] of parameters.entries()) {
      const isConstant = scalars.includes(own) && isOneIn(7);
      const constant = { bool: 'true', f32: '2.5', f64: '2.5' }[own] ?? '17';
      lines.push(`let mut a${i}: ${own} = ${isConstant ? constant : 'Made::made(&mut g)'};`);
      lines.push(`o.push_str("${i === 0 ? '{' : ','}\\"a${i}\\":"); a${i}.json(&mut o);`);
    }
    const given = parameters.map(({ form }, i) => `${forms[form][1]}a${i}`).join(', ');
    // Nobody uses some results.
    if (result && !isOneIn(8))
      lines.push(
        `let r = gen::f${number}(${given});`,
        'o.push_str(",\\"return\\":"); r.json(&mut o);',
      );
    else lines.push(`gen::f${number}(${given});`);
    for (const [i, { form }] of parameters.entries())
      if (form !== 'value') lines.push(`std::hint::black_box(&a${i});`);
    lines.push(`println!("f${number} {o}}}"); }`);
  }
  lines.push('} }');
  return lines.join('\n');
}
