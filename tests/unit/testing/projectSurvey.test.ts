import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { surveyProject, surveyText } from '../../../src/testing/projectSurvey.ts';
import { testFolder } from '../../support/folder.ts';

function project(...paths: string[]): string {
  const root = testFolder();
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '');
  }
  return root;
}

test('[test.survey] what a project is built with, and which of its files look like tests', () => {
  const cpp = project('CMakeLists.txt', 'src/cart.cpp', 'tests/cart.cpp', 'tests/data.txt');
  expect(surveyProject(cpp)).toEqual({
    language: 'C++',
    buildSystem: 'CMake',
    testFiles: ['tests/cart.cpp'],
  });
  const script = project('package.json', 'a.spec.ts', 'b.test.mjs', 'latest.js', 'contest.py');
  expect(surveyProject(script)).toMatchObject({
    buildSystem: 'npm',
    testFiles: ['a.spec.ts', 'b.test.mjs'],
  });
  expect(surveyText(surveyProject(project('pyproject.toml', 'test_a.py', 'b_test.py')))).toBe(
    'Python, pip; tests by their names: b_test.py, test_a.py',
  );
  expect(surveyText(surveyProject(project('README.md')))).toBe('no file looks like a test');
});
