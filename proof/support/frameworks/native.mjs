/* The same tests in C++, Rust and Go. Programs are compiled once and kept. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { cargo, compiled, folder, sources } from './install.mjs';
import { place } from './javaScript.mjs';

const manyTests = 2000;
const numbers = Array.from({ length: manyTests }, (_, number) => number);
const works = (command, args = ['--version']) =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

const head = (include) => `${include}
#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <unistd.h>
int total() { return 5; }
`;
const said = String.raw`std::printf("\033[31msaid in red\033[0m\n"); std::printf("b\xff\xfey\n"); std::fflush(stdout);`;
const loud = 'for (int n = 0; n < 200; n += 1) std::printf("a line that is said %d\\n", n);';

const gtestHead = head('#include <gtest/gtest.h>');
const googleTests = {
  mixed: `${gtestHead}
TEST(Cart, Works) { EXPECT_EQ(total(), 5); }
TEST(Cart, AddsUp) { ${said} EXPECT_EQ(total(), 6); }
TEST(Cart, IsLater) { GTEST_SKIP() << "later"; }
struct Takes : testing::TestWithParam<std::string> {};
TEST_P(Takes, One) { EXPECT_FALSE(GetParam().empty()); }
INSTANTIATE_TEST_SUITE_P(Each, Takes, testing::Values("a b", "(c) [d]"));
`,
  green: `${gtestHead}TEST(Cart, Works) {}\n`,
  one: `${gtestHead}TEST(Cart, Refuses) { ${loud} throw std::range_error("price below zero"); }\n`,
  empty: gtestHead,
  crash: `${gtestHead}TEST(Cart, Before) {}\nTEST(Cart, Dies) { std::raise(SIGKILL); }\n`,
  setup: `${gtestHead}struct Fixed : testing::Test { static void SetUpTestSuite() { FAIL() << "no database"; } };\nTEST_F(Fixed, NeedsIt) {}\n`,
  hang: `${gtestHead}TEST(Cart, Hangs) { ::pause(); }\n`,
  many: `${gtestHead}struct Many : testing::TestWithParam<int> {};\nTEST_P(Many, Sums) {}\nINSTANTIATE_TEST_SUITE_P(Each, Many, testing::Range(0, ${manyTests}));\n`,
};

const catchTests = (include) => {
  const start = `${head(include)}#include <iostream>\n`;
  const red = String.raw`std::cout << "\033[31msaid in red\033[0m\nb\xff\xfey\n" << std::flush;`;
  const many =
    'for (int n = 0; n < 200; n += 1) std::cout << "a line that is said " << n << "\\n";';
  return {
    mixed: `${start}
TEST_CASE("works") { REQUIRE(total() == 5); }
TEST_CASE("adds up") { SECTION("is nested") { ${red} CHECK(total() == 6); } }
TEST_CASE("is known to fail", "[!shouldfail]") { REQUIRE(total() == 7); }
TEMPLATE_TEST_CASE("takes", "", int, (std::pair<int, char>)) { TestType one{}; (void)one; SUCCEED(); }
${include.includes('amalgamated') ? 'TEST_CASE("is later") { SKIP("later"); }' : ''}
`,
    green: `${start}TEST_CASE("works") {}\n`,
    one: `${start}TEST_CASE("refuses") { ${many} throw std::range_error("price below zero"); }\n`,
    empty: start,
    crash: `${start}TEST_CASE("before") {}\nTEST_CASE("dies") { std::raise(SIGKILL); }\n`,
    setup: `${start}struct Fixed { Fixed() { throw std::runtime_error("no database"); } };\nTEST_CASE_METHOD(Fixed, "needs it") {}\n`,
    hang: `${start}TEST_CASE("hangs") { ::pause(); }\n`,
    many: `${start}${numbers
      .slice(0, 500)
      .map((n) => `TEST_CASE("sums ${n}") {}`)
      .join('\n')}\n`,
  };
};

/** A test binary per project, in the project's build folder. */
function binaries({ name, programs, args, key, ...rest }) {
  const build = (project) => {
    const text = programs[project];
    const mark = createHash('sha256').update(text).digest('hex').slice(0, 8);
    const stem = `${key}-${project}-${mark}`;
    place(folder, { [`${stem}.cpp`]: text }, null);
    return compiled(join(folder, stem), [join(folder, `${stem}.cpp`), ...args]);
  };
  return {
    name,
    env: {},
    projects: Object.keys(programs),
    command: () => 'build/tests',
    place(root, project) {
      if (programs[project] === undefined) throw new Error('no such project');
      mkdirSync(join(root, 'build'));
      place(root, { 'CMakeLists.txt': '', 'cart.cpp': programs[project] }, null);
      copyFileSync(build(project), join(root, 'build', 'tests'));
    },
    file: 'cart.cpp',
    refusals: { file: /^BAD_PARAMETER/, level: true },
    ...rest,
  };
}

const noCompiler = 'the binary is built before';

function cpp() {
  const found = [];
  const googles = [];
  if (existsSync('/usr/include/gtest/gtest.h'))
    googles.push({ version: '1.12.1', args: ['-lgtest_main', '-lgtest', '-pthread'] });
  const now = sources('googletest', 'https://github.com/google/googletest', 'v1.17.0');
  if (now !== null) {
    const at = join(now, 'googletest');
    const objects = ['gtest-all', 'gtest_main'].map((name) => {
      const include = [`-I${at}/include`, `-I${at}`];
      return compiled(join(folder, `${name}.o`), [...include, '-c', `${at}/src/${name}.cc`]);
    });
    googles.push({ version: '1.17.0', args: [`-I${at}/include`, ...objects, '-pthread'] });
  }
  for (const { version, args } of googles) {
    found.push(
      binaries({
        key: `googletest-${version}`,
        name: `GoogleTest ${version}`,
        framework: 'googletest',
        programs: googleTests,
        args,
        fuzzy: 'Cart.Works',
        typo: 'Cart.Wroks',
        parameters: /Each\/Takes\.One\/1/,
        adds: /AddsUp/,
        sides: true,
        counts: { suite: '3/1/1/0', rerun: '0/1/0/0' },
        without: {
          nested: 'it has none',
          expected: 'it has none',
          retry: 'it has none',
          limited: 'it has none',
          compile: noCompiler,
        },
      }),
    );
  }
  const two = existsSync('/usr/include/catch2/catch.hpp')
    ? ['2.13.10', '#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>', []]
    : null;
  const three = sources('catch2', 'https://github.com/catchorg/Catch2', 'v3.7.1');
  const object =
    three &&
    compiled(join(folder, 'catch2-3.o'), ['-c', join(three, 'extras', 'catch_amalgamated.cpp')]);
  const versions = [
    two,
    object && ['3.7.1', '#include "catch_amalgamated.hpp"', [`-I${join(three, 'extras')}`, object]],
  ];
  for (const version of versions) {
    if (!version) continue;
    const [number, include, args] = version;
    found.push(
      binaries({
        key: `catch2-${number}`,
        name: `Catch2 ${number}`,
        framework: 'catch2',
        programs: catchTests(include),
        args,
        fuzzy: 'works',
        typo: 'wroks',
        parameters: /takes - int/,
        nested: /adds up/,
        sides: true,
        many: 500,
        counts: { suite: number.startsWith('2') ? '3/1/0/1' : '3/1/1/1', rerun: '0/1/0/0' },
        without: {
          retry: 'it has none',
          limited: 'it has none',
          compile: noCompiler,
          ...(number.startsWith('2') ? { skip: 'version 2 has none' } : {}),
        },
      }),
    );
  }
  return found;
}

const rustHead = 'pub fn total() -> i32 { 5 }\n';
const rustTests = (body) =>
  `${rustHead}\n#[cfg(test)]\nmod tests {\n    use super::*;\n${body}\n}\n`;
const rustProjects = {
  mixed: {
    'src/lib.rs': `/// \`\`\`\n/// assert_eq!(cart::total(), 5);\n/// \`\`\`\n${rustTests(`
    #[test] fn works() { assert_eq!(total(), 5); }
    #[test] fn adds_up() { println!("\\x1b[31msaid in red\\x1b[0m"); assert_eq!(total(), 6); }
    #[test] #[ignore = "later"] fn is_later() {}
    #[test] #[should_panic] fn panics() { panic!("as it should"); }
    mod inner { #[test] fn is_nested() {} }`)}`,
    'tests/other.rs': '#[test] fn is_elsewhere() { assert_eq!(cart::total(), 5); }\n',
  },
  green: { 'src/lib.rs': rustTests('#[test] fn works() {}') },
  one: {
    'src/lib.rs': rustTests(
      '#[test] fn refuses() { for n in 0..200 { println!("a line that is said {n}"); } let _ = total(); panic!("price below zero"); }',
    ),
  },
  broken: { 'src/cart.rs': '', 'src/lib.rs': 'pub fn total() -> i32 { totl }\n' },
  empty: { 'src/lib.rs': rustHead },
  crash: {
    'src/lib.rs': rustTests('#[test] fn before() {}\n#[test] fn dies() { std::process::abort(); }'),
  },
  setup: { 'src/lib.rs': rustTests('#[test] fn needs_it() { panic!("no database"); }') },
  hang: { 'src/lib.rs': rustTests('#[test] fn hangs() { loop { std::thread::park(); } }') },
  many: {
    'src/lib.rs': rustTests(
      numbers.map((n) => `#[test] fn sums_{n}() {}`.replace('{n}', n)).join('\n'),
    ),
  },
  retried: {
    'src/lib.rs': rustTests(
      '#[test] fn works_the_second_time() { let at = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("target/once"); if !at.exists() { std::fs::write(at, "").unwrap(); panic!("first"); } }',
    ),
    '.config/nextest.toml': '[profile.default]\nretries = 2\n',
  },
  limited: {
    'src/lib.rs': rustTests(
      '#[test] fn is_too_slow() { std::thread::sleep(std::time::Duration::from_secs(30)); }',
    ),
    '.config/nextest.toml':
      '[profile.default]\nslow-timeout = { period = "1s", terminate-after = 1 }\n',
  },
};

function rust() {
  if (!works('cargo')) return [];
  const shared = {
    projects: Object.keys(rustProjects),
    file: 'tests/other.rs',
    fuzzy: 'is_nested',
    typo: 'is_nestde',
    brokenFile: /lib\.rs/,
    sides: true,
  };
  const manifest = '[package]\nname = "cart"\nversion = "0.1.0"\nedition = "2021"\n[workspace]\n';
  const put = (root, project, extra) =>
    place(root, { 'Cargo.toml': manifest, ...extra, ...rustProjects[project] }, null);
  const found = [
    {
      ...shared,
      name: 'cargo test 1.95',
      framework: 'cargo',
      env: {},
      place: (root, project) => put(root, project, {}),
      counts: { suite: '5/1/1/0', rerun: '0/1/0/0', level: '3/1/1/0' },
      without: {
        parameters: 'it has none',
        expected: 'should_panic is a pass',
        retry: 'it has none',
        limited: 'it has none',
      },
    },
  ];
  const bin = cargo('nextest');
  if (bin !== null) {
    found.push({
      ...shared,
      name: 'cargo-nextest',
      framework: 'nextest',
      env: { PATH: `${bin}:${process.env.PATH}` },
      place: (root, project) => put(root, project, { '.config/nextest.toml': '' }),
      counts: { suite: '4/1/1/0', rerun: '0/1/0/0', level: '3/1/1/0' },
      without: { parameters: 'it has none', expected: 'should_panic is a pass' },
    });
  }
  return found;
}

const goHead = 'package cart\n\nimport "testing"\n';
const goProjects = {
  mixed: {
    'cart.go': 'package cart\n\nfunc Total() int { return 5 }\n',
    'cart_test.go': `package cart

import (
	"fmt"
	"os"
	"testing"
)

func TestWorks(t *testing.T) {
	if Total() != 5 {
		t.Fatal("wrong")
	}
}
func TestAddsUp(t *testing.T) {
	fmt.Println("\\x1b[31msaid in red\\x1b[0m")
	os.Stdout.Write([]byte{'b', 0xff, 0xfe, 'y', '\\n'})
	if Total() != 6 {
		t.Errorf("Total() = %d, want 6", Total())
	}
}
func TestIsLater(t *testing.T) { t.Skip("later") }
func TestTakes(t *testing.T) {
	for _, one := range []string{"a b", "(c) [d]"} {
		t.Run(one, func(t *testing.T) {})
	}
}
func TestOuter(t *testing.T) { t.Run("is nested", func(t *testing.T) {}) }
`,
    'other/other_test.go': `${goHead.replace('cart', 'other')}func TestIsElsewhere(t *testing.T) {}\n`,
  },
  green: { 'cart_test.go': `${goHead}func TestWorks(t *testing.T) {}\n` },
  one: {
    'cart_test.go': `package cart\n\nimport (\n\t"fmt"\n\t"testing"\n)\n\nfunc refuse() { panic("price below zero") }\nfunc TestRefuses(t *testing.T) {\n\tfor n := 0; n < 200; n++ {\n\t\tfmt.Println("a line that is said", n)\n\t}\n\trefuse()\n}\n`,
  },
  broken: { 'cart_test.go': `${goHead}func TestWorks(t *testing.T) { totl() }\n` },
  empty: { 'cart.go': 'package cart\n' },
  crash: {
    'cart_test.go': `package cart\n\nimport (\n\t"os"\n\t"syscall"\n\t"testing"\n)\n\nfunc TestBefore(t *testing.T) {}\nfunc TestDies(t *testing.T) { syscall.Kill(os.Getpid(), syscall.SIGKILL); select {} }\n`,
  },
  setup: {
    'cart_test.go':
      'package cart\n\nimport (\n\t"fmt"\n\t"os"\n\t"testing"\n)\n\nfunc TestMain(m *testing.M) { fmt.Println("no database"); os.Exit(3) }\nfunc TestNeedsIt(t *testing.T) {}\n',
  },
  hang: {
    'cart_test.go': `package cart\n\nimport (\n\t"testing"\n\t"time"\n)\n\nfunc TestHangs(t *testing.T) { time.Sleep(time.Hour) }\n`,
  },
  many: {
    'cart_test.go': `package cart\n\nimport (\n\t"fmt"\n\t"testing"\n)\n\nfunc TestSums(t *testing.T) {\n\tfor n := 0; n < ${manyTests}; n++ {\n\t\tt.Run(fmt.Sprint(n), func(t *testing.T) {})\n\t}\n}\n`,
  },
};

function go() {
  if (!works('go', ['version'])) return [];
  return [
    {
      name: 'go test 1.26',
      framework: 'go',
      env: {},
      projects: Object.keys(goProjects),
      place: (root, project) =>
        place(root, { 'go.mod': 'module cart\n\ngo 1.21\n', ...goProjects[project] }, null),
      file: 'other/other_test.go',
      fuzzy: 'TestWorks',
      typo: 'TestWroks',
      parameters: /TestTakes\/\(c\)_\[d\]/,
      sides: false,
      refusals: { level: true },
      counts: { suite: '5/1/1/0', rerun: '0/1/0/0' },
      without: {
        expected: 'it has none',
        retry: 'it has none',
        limited: 'the limit is of the package',
      },
    },
  ];
}

const ctestScript = (tests) =>
  `cmake_minimum_required(VERSION 3.21)\nproject(cart NONE)\nenable_testing()\n${tests}\n`;
const shell = (name, line) => `add_test(NAME "${name}" COMMAND sh -c "${line}")\n`;
const ctestProjects = {
  mixed: ctestScript(`
${shell('works', 'exit 0')}set_tests_properties(works PROPERTIES LABELS unit)
add_test(NAME adds_up COMMAND sh "\${CMAKE_SOURCE_DIR}/adds.sh")
${shell('is_later', 'exit 77')}set_tests_properties(is_later PROPERTIES SKIP_RETURN_CODE 77)
${shell('is known to fail', 'exit 1')}set_tests_properties("is known to fail" PROPERTIES WILL_FAIL TRUE)
${shell('takes (c) [d]', 'exit 0')}`),
  green: ctestScript(shell('works', 'exit 0')),
  one: ctestScript(shell('refuses', 'seq -f line-that-is-said-%g 200; exit 3')),
  empty: ctestScript(''),
  crash: ctestScript(shell('before', 'exit 0') + shell('dies', 'kill -SEGV $$')),
  setup: ctestScript(
    `${shell('fixture', 'echo no database; exit 1')}${shell('needs_it', 'exit 0')}set_tests_properties(fixture PROPERTIES FIXTURES_SETUP base)\nset_tests_properties(needs_it PROPERTIES FIXTURES_REQUIRED base)`,
  ),
  hang: ctestScript(shell('hangs', 'sleep 1000')),
  limited: ctestScript(
    `${shell('is_too_slow', 'sleep 30')}set_tests_properties(is_too_slow PROPERTIES TIMEOUT 1)`,
  ),
  many: ctestScript(
    numbers
      .slice(0, 500)
      .map((n) => `add_test(NAME sums_${n} COMMAND true)\n`)
      .join(''),
  ),
};

function ctest() {
  if (!works('ctest')) return [];
  return [
    {
      name: 'CTest 3.25',
      framework: 'ctest',
      env: {},
      projects: Object.keys(ctestProjects),
      place(root, project) {
        place(
          root,
          {
            'CMakeLists.txt': ctestProjects[project],
            'adds.sh': String.raw`printf '\033[31msaid in red\033[0m\n'; printf 'b\377\376y\n'; echo 'cart.c:7: error: total is 5, not 6'; exit 1`,
          },
          null,
        );
        spawnSync('cmake', ['-S', root, '-B', join(root, 'build')], { stdio: 'ignore' });
      },
      file: 'CMakeLists.txt',
      refusals: { file: /^BAD_PARAMETER/ },
      fuzzy: 'works',
      typo: 'wroks',
      parameters: /takes \(c\) \[d\]/,
      sides: false,
      many: 500,
      counts: { suite: '3/1/1/0', rerun: '0/1/0/0', level: '1/0/0/0' },
      without: {
        nested: 'it has none',
        expected: 'WILL_FAIL is a pass',
        retry: 'a flag of its command line',
        compile: 'programs are built before',
      },
    },
  ];
}

export const native = () => [...cpp(), ...rust(), ...go(), ...ctest()];
