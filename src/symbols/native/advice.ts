import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DebugInfoAdvice } from '../resolver.ts';

const plain: DebugInfoAdvice = {
  buildSystem: 'plain',
  steps: [
    'Add -g -Og to the compiler flags (gcc, g++, clang) or -g to rustc, leave -ldflags "-s -w" out of go build, and do not strip the program.',
  ],
};

/** The first that fits wins: generators of makefiles come before Make. */
const known: readonly { readonly files: RegExp; readonly advice: DebugInfoAdvice }[] = [
  {
    files: /^Cargo\.toml$/,
    advice: {
      buildSystem: 'Cargo',
      steps: [
        'cargo build',
        'for a release build: CARGO_PROFILE_RELEASE_DEBUG=true CARGO_PROFILE_RELEASE_STRIP=none cargo build --release',
      ],
    },
  },
  {
    files: /^CMakeLists\.txt$/,
    advice: {
      buildSystem: 'CMake',
      steps: ['cmake -S . -B build -DCMAKE_BUILD_TYPE=RelWithDebInfo', 'cmake --build build'],
    },
  },
  {
    files: /^meson\.build$/,
    advice: {
      buildSystem: 'Meson',
      steps: ['meson setup build --buildtype=debugoptimized', 'meson compile -C build'],
    },
  },
  {
    files: /^(?:MODULE\.bazel|WORKSPACE(?:\.bazel)?)$/,
    advice: { buildSystem: 'Bazel', steps: ['bazel build -c opt --copt=-g --strip=never //...'] },
  },
  {
    files: /^go\.mod$/,
    advice: {
      buildSystem: 'Go',
      steps: ['go build -gcflags=all="-N -l" (and without -ldflags "-s -w")'],
    },
  },
  {
    files: /^configure$/,
    advice: {
      buildSystem: 'Make',
      steps: ["./configure CFLAGS='-g -Og' CXXFLAGS='-g -Og'", 'make clean && make'],
    },
  },
  {
    files: /^(?:GNUmakefile|[Mm]akefile)$/,
    advice: {
      buildSystem: 'Make',
      steps: ["make clean && make CFLAGS='-g -Og' CXXFLAGS='-g -Og'"],
    },
  },
];

/** Looks at the names of the files in the project's top folder only; runs nothing. */
export function adviseDebugInfo(projectRoot: string): DebugInfoAdvice {
  const names = existsSync(projectRoot) ? readdirSync(projectRoot) : [];
  const fitting = known.find(({ files }) => names.some((name) => files.test(name)));
  if (fitting === undefined) return plain;
  // A build folder inside the source folder has a Makefile that CMake wrote.
  return fitting.advice.buildSystem === 'Make' && existsSync(join(projectRoot, 'CMakeCache.txt'))
    ? {
        buildSystem: 'CMake',
        steps: ['cmake -DCMAKE_BUILD_TYPE=RelWithDebInfo .', 'cmake --build .'],
      }
    : fitting.advice;
}
