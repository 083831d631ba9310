/* Seeded bugs of Go (proof/diagnoseGo.proof.mjs). */

/** Project, kind of bug, the guilty function, and the wrong value as a line shows it. */
export const seeded = [
  [
    'rosters',
    'slice aliasing',
    'withCaptain',
    /"Ada Bo Dan", "Ada Bo Dan"|line\(.*\) = "Ada Bo Dan"/,
  ],
  [
    'alarms',
    'loop capture',
    'scheduled',
    /func1\(.*\) = "ring at noon"|"Ring at noon", "Ring at noon"/,
  ],
  ['forms', 'nil interface', 'firstOf', /firstOf\(.*\) = .*fault/],
  ['relay', 'channel order', 'runAll', /runAll\(.*\) = \["second", "first"\]/],
  ['vault', 'missing unlock', 'take', /take\(.*price=7\) = .*the vault is in use/],
  ['tenants', 'context not passed', 'cached', /(?:read|cached)\(.*\) = "public\/plan"/],
  ['imports', 'error shadowed', 'sumOf', /sumOf\(.*\) = .*sum=3.*err=(?:nil|null)/],
  ['titles', 'map iteration', 'joined', /joined\(.*\) = "(?!a\|b\|c\|d)/],
  ['packets', 'integer conversion', 'prefix', /prefix\(length=300\) = .*(?:44|0x2c)/],
  ['diary', 'time zone', 'dayOf', /dayOf\(.*\) = "2026-03-02"/],
];
