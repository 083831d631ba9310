/*
 * About how many tokens a language model takes for a text, without a vocabulary. Text is cut as the
 * o200k vocabulary cuts it (words with the one sign or blank before them, up to three digits, runs of
 * signs, white space), and each piece costs what pieces of its kind cost there.
 *
 * Calibrated on 4,348 texts (both forms of all answers of tests/unit/report and of 19 end-to-end tests:
 * calls, trees, statistics, crashes, watches, SQL, test runs) against exact counts of o200k. With the
 * margin the median is 1.07 times the exact count, 95 % are below 1.12; the lowest of texts of 300 tokens and
 * more is 1.016, of shorter ones 0.979 (a wait's answer of 182 tokens).
 * Too high: long runs of one character (up to 7 times), prose in other scripts (1.5 to 3 times).
 * Too low: nothing but random ideographs and rare symbols, which no program writes by the page.
 */
const MARGIN = 1.04;

/** Not rounded: parts are added up. */
export function estimateTokens(text: string): number {
  let tokens = 0;
  for (let at = 0, end = 0; at < text.length; at = end) {
    const kind = kindAt(text, at);
    end = runEnd(text, at, kind);
    switch (kind) {
      case 'letter':
        tokens += wordsCost(text, at, end);
        break;
      case 'digit':
        tokens += Math.ceil((end - at) / 3);
        break;
      case 'sign':
        tokens += signsCost(text, at, end);
        break;
      case 'blank': {
        // The last one belongs to what follows, unless that is a number.
        const joins = end < text.length && kindAt(text, end) !== 'digit';
        tokens += (end - at > 1 ? 1 : 0) + (joins ? 0 : 1);
        break;
      }
      case 'line':
        // Behind a sign it belongs to that.
        tokens += at > 0 && kindAt(text, at - 1) === 'sign' ? 0.15 : 1;
        break;
      case 'wide':
        tokens += wideCost(text.charCodeAt(at));
        break;
      case 'end':
    }
  }
  return tokens * MARGIN;
}

/** By letter: the letters that usually follow it within a token. Any other pair mostly begins a new one. */
const usualFollowers: readonly string[] = [
  'abcdfghijklmnprstuvwyz',
  'aeilorsu',
  'acehiklorstuy',
  'adeilorsu',
  'abcdefghiklmnopqrstuvwxyz',
  'aefilortu',
  'aeghilnorsu',
  'aeiortuy',
  'abcdefgjklmnoprstvxz',
  'aeou',
  'aeiostu',
  'adeilostuy',
  'abeimopsu',
  'acdefgiknostuvy',
  'abcdefgiklmnoprstuvwy',
  'aehiloprstu',
  'u',
  'acdegiklmnoprstuvy',
  'acehiklmopstuy',
  'acehilorstuy',
  'abcdefgiklmnprst',
  'aeio',
  'aehinos',
  'ipt',
  'aenops',
  'aeio',
];
const ALPHABET = 26;
const USUAL = 0.035;
const RARE = 0.9;
/** Many a known word has one such pair. */
const FIRST_RARE = 0.4;
const pairCosts = new Float64Array(ALPHABET * ALPHABET).fill(RARE);
for (const [first, followers] of usualFollowers.entries())
  for (const follower of followers) pairCosts[first * ALPHABET + letterOf(follower, 0)] = USUAL;
/** Of two letters one of which has an accent. */
const ACCENTED_PAIR = 1;
/** Of a letter that stands for the third time or more. */
const REPEATED = 0.35;

/** A run of letters: `fooBarBaz` is three words. */
function wordsCost(text: string, from: number, to: number): number {
  let cost = 0;
  for (let begin = from, at = from; at < to; begin = at) {
    while (at < to && isUpper(text, at)) at++;
    const isAllUpper = at - begin > 2 && (at === to || isUpper(text, at));
    while (at < to && !isUpper(text, at)) at++;
    const length = at - begin;
    const usual = lengthCost(length, begin === from ? before(text, from) : 'nothing');
    const spelled = usual + pairsCost(text, begin, at);
    cost += isAllUpper ? Math.max(spelled, length / 2.4) : spelled;
  }
  return cost;
}

/** What belongs to the word that begins at `at`: a sign does where it stands alone. */
function before(text: string, at: number): 'blank' | 'sign' | 'nothing' {
  if (at === 0) return 'nothing';
  const kind = kindAt(text, at - 1);
  if (kind === 'blank') return 'blank';
  return kind === 'sign' && isAlone(text, at - 1) ? 'sign' : 'nothing';
}

/** Neither in a run of signs nor behind a blank, which it would belong to. */
function isAlone(text: string, at: number): boolean {
  const kind = at === 0 ? 'end' : kindAt(text, at - 1);
  return kind !== 'sign' && kind !== 'blank';
}

function lengthCost(length: number, preceding: 'blank' | 'sign' | 'nothing'): number {
  const long = Math.max(0, length - 9) * 0.15;
  if (preceding === 'blank') return 0.9 + long;
  if (preceding === 'nothing')
    return (length < 3 ? 1 : 0.95 + Math.max(0, length - 4) * 0.03) + long;
  if (length < 3) return length === 1 ? 1 : 1.6;
  return (length < 6 ? 1.3 : 1.8) + long;
}

function pairsCost(text: string, from: number, to: number): number {
  let cost = 0;
  let rare = 0;
  for (let at = from + 1; at < to; at++) {
    const [first, second] = [letterOf(text, at - 1), letterOf(text, at)];
    if (first >= ALPHABET || second >= ALPHABET) cost += ACCENTED_PAIR;
    else if (first === second && at > from + 1 && letterOf(text, at - 2) === first)
      cost += REPEATED;
    else {
      const pair = pairCosts[first * ALPHABET + second] ?? 0;
      cost += pair === RARE && rare++ === 0 ? FIRST_RARE : pair;
    }
  }
  return cost;
}

/** 0: a, of either case. */
function letterOf(text: string, at: number): number {
  return (text.charCodeAt(at) | 0x20) - 0x61;
}

/** Signs that JSON and code put side by side. */
const usualSigns = new Set(
  String.raw`": :" ", ," :{ :[ {" [" [{ }, ], }] ]} }} [] {} :: "" () \" "\ :\ ,\ {\ [\ =\ -> // .. __ -- == ** …( (+ "} "] ); ), ") (" ." !" && ||`.split(
    ' ',
  ),
);

function signsCost(text: string, from: number, to: number): number {
  // A single one belongs to the word behind it, which counts it.
  if (to - from === 1) return kindAt(text, to) === 'letter' && isAlone(text, from) ? 0 : 1;
  let cost = 1;
  for (let at = from + 1; at < to; at++) {
    const isRepeated = at > from + 1 && text[at] === text[at - 1] && text[at] === text[at - 2];
    if (isRepeated) cost += 0.1;
    else if (!usualSigns.has(text.slice(at - 1, at + 1))) cost += 0.72;
    else cost += at === from + 1 ? 0.05 : 0.12;
  }
  return cost;
}

/** Tokens of one UTF-16 unit, up to `last`: of letters as texts use them, of symbols as each stands alone. */
const wideCosts: readonly { readonly last: number; readonly cost: number }[] = [
  { last: 0x2ff, cost: 1.2 },
  { last: 0x7ff, cost: 0.65 },
  { last: 0x1fff, cost: 1.15 },
  { last: 0x2fff, cost: 2 },
  { last: 0x9fff, cost: 0.9 },
  { last: 0xabff, cost: 2.5 },
  { last: 0xd7ff, cost: 0.8 },
  // Half of a character, mostly of an emoji.
  { last: 0xdfff, cost: 1.9 },
];

function wideCost(unit: number): number {
  if (unit === 0xfffd) return 1;
  return wideCosts.find(({ last }) => unit <= last)?.cost ?? 2.9;
}

type Kind = 'letter' | 'digit' | 'sign' | 'blank' | 'line' | 'wide' | 'end';

function runEnd(text: string, from: number, kind: Kind): number {
  let end = from + 1;
  if (kind === 'wide') return end;
  while (kindAt(text, end) === kind) end++;
  return end;
}

function isUpper(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return (code >= 0x41 && code <= 0x5a) || (code >= 0xc0 && code <= 0xde);
}

/** By UTF-16 unit, below 0x250. */
const kinds: readonly Kind[] = Array.from({ length: 0x250 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\p{L}/u.test(character)) return 'letter';
  if (/[0-9]/.test(character)) return 'digit';
  if (/[\r\n]/.test(character)) return 'line';
  if (/[ \t]/.test(character)) return 'blank';
  return code < 0x80 || '·×µ'.includes(character) ? 'sign' : 'wide';
});
/** Signs that Strobe itself writes. */
const ownSigns = '—–…→←≥≤✗‘’“”';

function kindAt(text: string, at: number): Kind {
  if (at >= text.length) return 'end';
  const kind = kinds[text.charCodeAt(at)];
  return kind ?? (ownSigns.includes(text.charAt(at)) ? 'sign' : 'wide');
}
