/* Seeded bugs of JavaScript and TypeScript (proof/diagnoseNode.proof.mjs). */

/** Project, kind of bug, framework, the guilty function as `file function`, and the wrong value as a line shows it. */
export const seeded = [
  [
    'tariff',
    'wrong value',
    'vitest',
    'src/countries.ts zoneOf',
    /zoneOf\(country="DE".*\) = "near"/,
  ],
  ['roster', 'aliasing', 'jest', 'src/copy.js copyWeek', /copyWeek\(.*\) = .*"Omar"/],
  [
    'checkout',
    'missing await',
    'vitest',
    'src/reserve.ts reserve',
    /reserve\(.*"lamp"\) = true.*|left\(.*"lamp"\) = 1\b/,
  ],
  ['replay', 'order', 'node', 'src/order.js inOrder', /inOrder\(.*\) = \[.*10.*12.*9/],
  [
    'scores',
    'string/number',
    'mocha',
    'src/player.js playerFrom',
    /playerFrom\(.*\) = .*points="(?:9|100)"/,
  ],
  ['shifts', 'timezone', 'vitest', 'src/hours.ts hourOf', /hourOf\(.*\) = (?:8|17)\b/],
  ['gallery', 'off by one', 'node', 'src/pager.js pageCount', /pageCount\(pictures=8\) = 3\b/],
  [
    'quotes',
    'memo key',
    'vitest',
    'src/memoize.ts memoize',
    /remembered\(.*"USD".*\) = (?:80|1\.2)\b/,
  ],
  ['menu', 'closure in loop', 'mocha', 'src/wire.js wire', /dishAt\(number=3\) = undefined/],
  ['backup', 'swallowed rejection', 'jest', 'src/parts.js readPart', /readPart\(.*"c\.txt"\) = ""/],
  [
    'tickets',
    'shared mutable default',
    'node',
    'src/form.js constructor',
    /missing\(.*\) = \["version"|ideaForm\(\) = .*"version"/,
  ],
  [
    'labels',
    'wrong import',
    'vitest',
    'src/label.ts label',
    /(?:clean|label)\(.*\) = .*"?(?:Jrgen|Groe Strae 2|Kln)/,
  ],
];

/** Examples by which the rules may be improved: never any of those above. */
export const others = [
  ['fees', 'wrong value', 'node', 'src/bands.js bandOf', /bandOf\(amount=100\) = .*upTo=500/],
  ['seats', 'aliasing', 'vitest', 'src/plan.ts planFor', /planFor\(name="saturday"\) = .*"a2"/],
  ['inbox', 'missing await', 'jest', 'src/importer.js importAll', /count\(.*\) = 2\b/],
  [
    'feed',
    'order',
    'mocha',
    'src/gather.js gather',
    /gather\(.*\) = \["quick news", "slow news"\]/,
  ],
  ['basket', 'string/number', 'vitest', 'src/form.ts field', /field\(.*\) = "2"/],
  ['diary', 'timezone', 'node', 'src/dates.js dayOf', /dayOf\(text="2026-03-08"\) = "2026-03-07"/],
  ['grid', 'off by one', 'jest', 'src/range.js range', /range\(from=1, to=28\) = \[/],
  ['geo', 'memo key', 'vitest', 'src/distance.ts keyOf', /keyOf\(.*\) = "berosl"/],
  ['bells', 'closure in loop', 'mocha', 'src/bells.js hang', /sound\(number=3\) = "bell 3"/],
  ['sync', 'swallowed rejection', 'node', 'src/push.js push', /name="film", stored=true/],
  ['logger', 'shared mutable default', 'vitest', 'src/options.ts optionsFrom', /level="audit"/],
  ['units', 'wrong import', 'jest', 'src/sign.js sign', /(?:format|sign)\(.*\) = ".*1\.2 mi"/],
];

/** A set that no rule was tuned on: written down before any of them was diagnosed. */
export const fresh = [
  [
    'postage',
    'wrong value',
    'vitest',
    'src/surcharge.ts surchargeFor',
    /surchargeFor\(.*"island".*\) = 150\b/,
  ],
  [
    'board',
    'aliasing',
    'jest',
    'src/history.js remember',
    /(?:back|undo)\(.*\) = \["x", "", "o", ""\]/,
  ],
  ['uploader', 'missing await', 'mocha', 'src/save.js saveAll', /(?:saveAll|count)\(.*\) = 0\b/],
  [
    'releases',
    'order',
    'node',
    'src/compare.js compare',
    /compare\(.*1\.10\.0.*\) = -1|newest\(.*\) = .*1\.9\.0/,
  ],
  ['budget', 'string/number', 'vitest', 'src/read.ts amountOf', /amountOf\(.*\) = "(?:700|300)"/],
  ['agenda', 'timezone', 'jest', 'src/local.js localDay', /localDay\(.*\) = "2026-05-03"/],
  ['averages', 'off by one', 'mocha', 'src/tail.js tail', /tail\(.*\) = \[90, 30, 40, 50\]/],
  [
    'shop',
    'memo key',
    'node',
    'src/cache.js keyFor',
    /keyFor\(.*\) = "p1"|cached\(.*"south".*\) = 120\b/,
  ],
  [
    'wizard',
    'closure in loop',
    'vitest',
    'src/build.ts buildSteps',
    /stepText\(index=3\) = "Done"|show\(.*\) = "4\. Done"/,
  ],
  [
    'mailer',
    'swallowed rejection',
    'jest',
    'src/send.js sendOne',
    /sendOne\(.*"b@x\.org".*\) = true/,
  ],
  [
    'jobs',
    'shared mutable default',
    'vitest',
    'src/settings.ts settingsFor',
    /settingsFor\(.*\) = .*retries=9/,
  ],
  ['floors', 'wrong import', 'mocha', 'src/area.js areaOf', /(?:areaOf|round)\(.*\) = 13\.92/],
];
