/* Seeded bugs of Python (proof/diagnosePython.proof.mjs). */

/** Project, kind of bug, the guilty function as `file function`, and the wrong value as a line shows it. */
export const seeded = [
  ['invoices', 'wrong value', 'billing/tax.py percent_of', /percent_of\(kind="book"\) = 19\b/],
  ['boards', 'aliasing', 'boards/templates.py board_from', /"autumn".*Book hall/],
  [
    'headlines',
    'async order',
    'news/gather.py read_all',
    /read_all\(.*\) = \["Apples are cheap", "Rain at noon", "Ferry is late"\]/,
  ],
  ['notes', 'default argument', 'notes/tags.py tags_of', /tags_of\(.*"jars", "letters"/],
  ['rota', 'timezone', 'rota/days.py day_of', /day_of\(.*\) = .*2026[-, ]+0?5[-, ]+0?3\b/],
  [
    'pages',
    'off by one',
    'listing/window.py bounds',
    /bounds\(page=2, size=3, total=5\) = [([]3, 4[)\]]/,
  ],
  ['rates', 'cache key', 'rates/cache.py key', /key\(.*\) = "EUR\/USD"/],
  [
    'ledger',
    'float and Decimal',
    'ledger/amounts.py parse_amount',
    /parse_amount\(text="-?0\.\d+"\) = Decimal\("-?0\.\d{10,}/,
  ],
  [
    'survey',
    'generator exhausted',
    'survey/numbers.py summarise',
    /summarise\(.*\) = .*count=2, total=0\b/,
  ],
  [
    'settings',
    'exception swallowed',
    'settings/values.py duration',
    /duration\(.*hours.*\) = 30\b/,
  ],
  ['tickets', 'thread race', 'tickets/office.py take', /put\(.*"seats", value=8\)/],
  [
    'library',
    'monkeypatch leak',
    'tests/frozen.py freeze',
    /frozen_today\(\) = .*2031|freeze\(.*2031/,
  ],
];

/** Examples by which the rules may be improved: never any of those above. */
export const others = [
  ['recipes', 'wrong value', 'kitchen/measure.py fraction', /fraction\(text="1\/2"\) = 0\b/],
  ['requests', 'aliasing', 'web/defaults.py headers_for', /headers_for\(kind="page"\) = .*sesame/],
  ['stock', 'async order', 'stock/robot.py put', /put\(.*pieces=|set\(.*pieces=13/],
  ['audit', 'default argument', 'audit/trail.py __init__', /Trail\.__init__\(.*entries=\["ann/],
  ['logs', 'timezone', 'logs/line.py moment', /moment\(.*\) = .*(?:11:00|19:10|11, 0|19, 10)/],
  ['bins', 'off by one', 'bins/edges.py edges', /edges\(.*\) = \[0\.0, 1\.0, 2\.0, 3\.0\]/],
  ['avatars', 'cache key', 'avatars/keys.py key_for', /key_for\(name="Bob", size=.*\) = "bob"/],
  ['split', 'float and Decimal', 'split/shares.py share', /share\(.*\) = 0\.2\d{12,}/],
  ['rank', 'generator exhausted', 'rank/scale.py scaled', /scaled\(.*\) = \[\]/],
  [
    'mail',
    'exception swallowed',
    'mail/people.py addresses',
    /addresses\(.*\) = \["ann@example\.org"\]/,
  ],
  ['hits', 'thread race', 'hits/meter.py hit', /hit\(/],
  ['shipping', 'monkeypatch leak', 'tests/conftest.py free_of_charge', /<lambda>\(.*\) = 0/],
];
