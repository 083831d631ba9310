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

/** Written down before the first run, by someone who had not read the rules; then kept as they are. */
export const fresh = [
  ['parking', 'wrong value', 'parking/clock.py begun_hours', /begun_hours\(length=70\) = 1\b/],
  ['menu', 'aliasing', 'menu/week.py empty_week', /"soup", "stew".*"soup", "stew"/],
  ['courier', 'async order', 'courier/survey.py survey', /survey\(.*\) = \[5, 12, 30\]/],
  [
    'badges',
    'default argument',
    'badges/teams.py by_team',
    /by_team\(.*"ann", "cleo"|by_team\(.*"ann"/,
  ],
  ['flights', 'timezone', 'flights/stamps.py comparable', /comparable\(.*\) = .*11[:,] ?0/],
  ['racks', 'off by one', 'racks/codes.py places', /places\(first=3, last=5\) = \[3, 4\]/],
  ['weather', 'cache key', 'weather/shelf.py place', /place\(.*\) = "oslo"/],
  [
    'payroll',
    'float and Decimal',
    'payroll/amounts.py exact',
    /exact\(number=0\.7\) = Decimal\("0\.69999/,
  ],
  ['ballot', 'generator exhausted', 'ballot/tally.py tally', /tally\(.*\) = \(3, \{\}\)/],
  [
    'sensors',
    'exception swallowed',
    'sensors/lines.py number',
    /number\(text="33,5"\) = 0(?:\.0)?\b/,
  ],
  ['lockers', 'thread race', 'lockers/row.py take', /take\(.*\) = 1\b/],
  [
    'kiosk',
    'monkeypatch leak',
    'tests/abroad.py sell_abroad',
    /share_of\(kind="pen"\) = 0\b|sell_abroad\(\)/,
  ],
];

/** The same, written down after rules had been improved by those that were missed above, and before their first run. */
export const later = [
  ['club', 'wrong value', 'club/levels.py level', /level\(points=100\) = "silver"/],
  ['garden', 'aliasing', 'garden/bed.py bed', /"k", "l"\].*"k", "l"\]/],
  ['printers', 'async order', 'printers/counter.py number', /number\(.*\) = 1\b/],
  [
    'routes',
    'default argument',
    'routes/route.py route',
    /route\(.*"north", "south"|route\(.*\["north"\]/,
  ],
  ['calls', 'timezone', 'calls/moments.py day', /day\(.*\) = .*2026[-, ]+0?6[-, ]+0?2\b/],
  [
    'book',
    'off by one',
    'book/pages.py length',
    /length\(start=\d+, following=\d+\) = (?:8|14|5)\b/,
  ],
  ['holidays', 'cache key', 'holidays/memo.py key', /key\(.*\) = "NO"/],
  ['till', 'float and Decimal', 'till/add.py total', /total\(.*\) = 0\.30000000000000004/],
  ['importer', 'generator exhausted', 'importer/check.py is_empty', /\["bob", "cleo"\]/],
  ['prefs', 'exception swallowed', 'prefs/text.py loaded', /loaded\(.*\) = \{\}/],
  ['matinee', 'thread race', 'matinee/hall.py sell', /sell\(.*\) = true|has_room\(.*\) = true/i],
  [
    'exchange',
    'monkeypatch leak',
    'tests/fakes.py pretend',
    /<lambda>\(.*\) = 0\b|pretend\(value=0\)/,
  ],
];
