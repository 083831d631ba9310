/*
 * Bugs of native projects with the function at fault, written down before any of them was diagnosed: [file, function], and a
 * line that shows the wrong value. `had` is the release that had the bug, `mended` the one without it; bugs without them
 * were made for this proof (`FAULT`). Those of `first` may improve the rules, those of `fresh` may not.
 */
const crate = (name, [had, hadSum], [mended, mendedSum]) => ({
  had: { registry: 'crates.io', name, version: had, sha256: hadSum },
  mended: { registry: 'crates.io', name, version: mended, sha256: mendedSum },
});
const archive = (registry, name, [had, hadSum], [mended, mendedSum]) => ({
  had: { registry, name, version: had, sha256: hadSum },
  mended: { registry, name, version: mended, sha256: mendedSum },
});
/** Debian mends a release by patches that lie beside it. */
const patched = (name, version, sha256) => ({
  had: { registry: 'Debian', name, version, sha256 },
  mended: { registry: 'Debian', name, version, sha256, isPatched: true },
});

export const first = [
  {
    project: 'textwrap',
    kind: 'an escape sequence of a kind that is not known',
    framework: 'cargo',
    ...crate(
      'textwrap',
      ['0.16.0', '222a222a5bfe1bba4a77b45ec488a741b3cb8872e5e499451fd7d0129c9c7c3d'],
      ['0.16.1', '23d434d3f8967a09480fb04132ebe0a3e088c173e6d0ee7897abbdf4eab0f8b9'],
    ),
    guilty: ['src/core.rs', 'skip_ansi_escape_sequence'],
    wrong: /skip_ansi_escape_sequence\S*\(.*\) = false/,
  },
  {
    project: 'histogram',
    kind: 'the first entry counts as the last',
    framework: 'cargo',
    ...crate(
      'hdrhistogram',
      ['7.5.2', '7f19b9f54f7c7f55e31401bb647626ce0cf0f67b0004982ce815b3ee72a02aa8'],
      ['7.5.3', 'a5b38e5c02b7c7be48c8dc5217c4f1634af2ea221caae2e024bffc7a7651c691'],
    ),
    guilty: ['src/iterators/mod.rs', 'next'],
    wrong: /next\S*\(.*\) = None/,
  },
  {
    project: 'decimal',
    kind: 'a scale that falls below the one asked for',
    framework: 'cargo',
    ...crate(
      'rust_decimal',
      ['1.30.0', 'd0446843641c69436765a35a5a77088e28c2e6a12da93e84aa3ab1cd4aa5a042'],
      ['1.31.0', '4a2ab0025103a60ecaaf3abf24db1db240a4e1c15837090d2c32f625ac98abea'],
    ),
    guilty: ['src/ops/array.rs', 'truncate_internal'],
    wrong: /\blo=515\b|\[515, 0, 0\]/,
  },
  {
    project: 'cjson',
    kind: 'letters are taken for digits',
    framework: 'ctest',
    ...patched(
      'cjson',
      '1.7.15-1+deb12u4',
      '5308fd4bd90cef7aa060558514de6a1a4a0819974a26e6ed13973c5f624c24b2',
    ),
    guilty: ['cJSON_Utils.c', 'decode_array_index_from_pointer'],
    wrong: /\bitem=27\b|decode_array_index_from_pointer\(pointer="1A".*\) = 1\b/,
  },
  {
    project: 'ujson',
    kind: 'a lone surrogate is refused',
    framework: 'googletest',
    ...archive(
      'PyPI',
      'ujson',
      ['5.3.0', 'ab938777b3ac0372231ee654a7f6a13787e587b1ca268d8aa7e6fb6846e477d0'],
      ['5.4.0', '6b953e09441e307504130755e5bd6b15850178d591f66292bba4608c4f7f9b00'],
    ),
    sources: [
      'lib/ultrajsondec.c',
      'lib/dconv_wrapper.cc',
      'deps/double-conversion/double-conversion/*.cc',
    ],
    include: ['lib', 'deps/double-conversion/double-conversion'],
    guilty: ['lib/ultrajsondec.c', 'decode_string'],
    wrong: /decode_string\(.*\) = nullptr/,
  },
  {
    project: 'barrels',
    fault: 1,
    kind: 'sorted by another member',
    framework: 'doctest',
    guilty: ['cellar.cpp', 'isOlder'],
    wrong: /isOlder\(.*year=\d+.*\) = (?:true|false)/,
  },
  {
    project: 'barrels',
    fault: 2,
    kind: 'more is taken than there is',
    framework: 'doctest',
    guilty: ['cellar.cpp', 'draw'],
    wrong: /litres=-\d+|left\(.*\) = -6\b/,
  },
  {
    project: 'barrels',
    fault: 3,
    kind: 'rounded up although it divides evenly',
    framework: 'doctest',
    guilty: ['prices.cpp', 'bottlesFor'],
    wrong: /bottlesFor\(litres=6\) = 9\b/,
  },
  {
    project: 'rail',
    fault: 1,
    kind: 'a digit is left out',
    framework: 'catch2',
    sources: ['clock.cpp', 'timetable.cpp'],
    guilty: ['clock.cpp', 'minutesOf'],
    wrong:
      /minutesOf\(clock="06:15"\) = 361\b|minutesOf\(clock="08:30"\) = 483\b|minutesOf\(clock="21:45"\) = 1264\b/,
  },
  {
    project: 'rail',
    fault: 2,
    kind: 'midnight is not thought of',
    framework: 'catch2',
    sources: ['clock.cpp', 'timetable.cpp'],
    guilty: ['clock.cpp', 'wait'],
    wrong: /wait\(.*\) = -\d+/,
  },
  {
    project: 'rail',
    fault: 3,
    kind: 'the first is taken instead of the one that was found',
    framework: 'catch2',
    sources: ['clock.cpp', 'timetable.cpp'],
    guilty: ['timetable.cpp', 'next'],
    wrong: /next\(.*time=\d+\) = .*departs=\d+/,
  },
];

/** In their first run four of fifteen were explained: the rules had learnt the bugs above by heart. */
export const fresh = [
  {
    project: 'strsim',
    kind: 'a special case of one letter',
    framework: 'cargo',
    ...crate(
      'strsim',
      ['0.9.2', '032c03039aae92b350aad2e3779c352e104d919cb192ba2fabbd7b831ce4f0f6'],
      ['0.9.3', '6446ced80d6c486436db5c078dde11a9f73d42b57fb273121e160b84f63d894c'],
    ),
    guilty: ['src/lib.rs', 'generic_jaro'],
    wrong: /generic_jaro\S*\(.*\) = 0(?:\.0)?\b/,
  },
  {
    project: 'queue',
    kind: 'a loop that ends one too early',
    framework: 'cargo',
    ...crate(
      'priority-queue',
      ['1.0.2', 'e51e18113edd707f361302ce1229da05854e786d78f03e1eddae3f1ffb8da663'],
      ['1.0.3', '8a6f1a563bbd2d93b9c5a2e4b3af6f0fc728bca22653f31cb515ea932604ea57'],
    ),
    guilty: ['src/pqueue.rs', 'heap_build'],
    wrong: /peek\S*\(.*\) = .*"b"/,
  },
  {
    project: 'shlex',
    kind: 'an escape where there is none',
    framework: 'cargo',
    ...crate(
      'shlex',
      ['0.1.1', '7fdf1b9db47230893d76faad238fd6097fd6d6a9245cd7a4d90dbd639536bbd2'],
      ['1.0.0', '42a568c8f2cd051a4d283bd6eb0343ac214c1b0f1ac19f93e1175b2dee38c73d'],
    ),
    guilty: ['src/lib.rs', 'parse_single'],
    wrong: /"a\\\\n"/,
  },
  {
    project: 'graphmap',
    kind: 'half of what belongs together is removed',
    framework: 'cargo',
    ...crate(
      'petgraph',
      ['0.5.1', '467d164a6de56270bd7c4d070df81d07beace25012d5103ced4e9ff08d6afdb7'],
      ['0.6.0', '4a13a2fa9d0b63e5f22328828741e523766fff0ee9e779316902290dff3f824f'],
    ),
    guilty: ['src/graphmap.rs', 'remove_node'],
    wrong: /edge_count\S*\(.*\) = 1\b/,
  },
  {
    project: 'rangemap',
    kind: 'an empty range is given',
    framework: 'cargo',
    ...crate(
      'rangemap',
      ['1.0.0', 'c6b8873d94063140fab410058fcee519f405a71d05d192d80e94580a0ed334da'],
      ['1.0.1', '4556ba17699ec8276a2e73e22c5b846666e06fe9db1228a9d4377e67b5d35fcb'],
    ),
    guilty: ['src/map.rs', 'next'],
    wrong: /start=4, end=4/,
  },
  {
    project: 'hiredis',
    kind: 'a word for a number is refused',
    framework: 'googletest',
    ...archive(
      'PyPI',
      'hiredis',
      ['2.0.0', '81d6d8e39695f2c37954d1011c0480ef7cf444d4e3ae24bc5e89ee5de360139a'],
      ['2.2.3', 'e75163773a309e56a9b58165cf5a50e0f84b755f6ff863b2c01a38918fe92daa'],
    ),
    // What lies below vendor is not the project's own.
    inside: 'vendor/hiredis',
    sources: ['hiredis.c', 'read.c', 'sds.c', 'alloc.c', 'net.c', 'async.c'],
    guilty: ['read.c', 'processLineItem'],
    wrong: /processLineItem\(.*\) = -1\b/,
  },
  {
    project: 'tinyxml',
    kind: 'the end of a text is not thought of',
    framework: 'googletest',
    ...patched(
      'tinyxml',
      '2.6.2-6+deb12u1',
      '15bdfdcec58a7da30adc87ac2b078e4417dbe5392f3afb719f9ba6d062645593',
    ),
    sources: ['tinyxml.cpp', 'tinyxmlparser.cpp', 'tinyxmlerror.cpp', 'tinystr.cpp'],
    guilty: ['tinyxmlparser.cpp', 'TiXmlDeclaration::Parse'],
    wrong: /StringEqual\(p=""/,
  },
  {
    project: 'jellyfish',
    kind: 'the end of a word is not thought of',
    framework: 'catch2',
    ...archive(
      'PyPI',
      'jellyfish',
      ['0.5.3', '07b487f45e9dd4bd4c267ccf5c8859dbdfd26c2a81abf365f6bbf6e419827d89'],
      ['0.6.1', '5104e45a2b804b48a46a92a5e6d6e86830fe60ae83b1da32c867402c8f4c2094'],
    ),
    sources: ['cjellyfish/metaphone.c'],
    flags: ['-DJFISH_UNICODE=unsigned'],
    guilty: ['cjellyfish/metaphone.c', 'metaphone'],
    wrong: /metaphone\(.*"window"\) = "WNT"/,
  },
  {
    project: 'layout',
    fault: 1,
    kind: 'a separator too many is counted',
    framework: 'catch2',
    sources: ['words.cpp', 'lines.cpp', 'page.cpp'],
    guilty: ['words.cpp', 'lengthOf'],
    wrong: /lengthOf\(.*\) = 1[37]\b/,
  },
  {
    project: 'layout',
    fault: 2,
    kind: 'the remainder of the wrong division',
    framework: 'catch2',
    sources: ['words.cpp', 'lines.cpp', 'page.cpp'],
    guilty: ['lines.cpp', 'gapAfter'],
    wrong: /gapAfter\(.*at=[0-3]\) = 3\b/,
  },
  {
    project: 'kiln',
    fault: 1,
    kind: 'a value is stored in the wrong member',
    framework: 'ctest',
    guilty: ['parse.c', 'parse_step'],
    wrong: /minutes=(?:10|25)\b|program_minutes\(.*\) = 35\b/,
  },
  {
    project: 'kiln',
    fault: 2,
    kind: 'the wrong element is taken',
    framework: 'ctest',
    guilty: ['program.c', 'start_of'],
    wrong: /start_of\(.*at=1\) = 950\b/,
  },
  {
    project: 'kiln',
    fault: 3,
    kind: 'a ring that is one too small',
    framework: 'ctest',
    guilty: ['log.c', 'slot'],
    wrong: /slot\(.*at=5\) = 0\b/,
  },
  {
    project: 'parcels',
    fault: 1,
    kind: 'a wrong operator',
    framework: 'doctest',
    guilty: ['weight.cpp', 'volumeWeight'],
    wrong: /volumeWeight\(.*\) = (?:1204|1302|602|102)\b/,
  },
  {
    project: 'parcels',
    fault: 2,
    kind: 'texts are compared by their order',
    framework: 'doctest',
    guilty: ['zones.cpp', 'isFar'],
    wrong: /isFar\(country="PL"\) = false/,
  },
];
