import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { installPaths } from '../../../src/base/installPaths.ts';

/** The newest Node-API that Node 20.19 has; nothing of a newer one is looked up in the process. */
const since10 = /^node_api_create_(property_key|buffer_from_arraybuffer|external_string)/;

it('SQLite is built once for all versions of Node: it needs Node-API and the system’s libraries alone [setup.node]', () => {
  const listed = execFileSync('nm', ['-D', '--undefined-only', installPaths().sqlite]).toString();
  const names = [...listed.matchAll(/ U (\S+)$/gm)].map(([, name = '']) => name);
  const ofNode = names.filter(
    (name) => /^(napi_|node_api_|_Z|uv_)/.test(name) && !/@(GLIBCXX|CXXABI)/.test(name),
  );
  expect(ofNode).toContain('napi_create_function');
  expect(ofNode.filter((name) => !/^(napi|node_api)_/.test(name) || since10.test(name))).toEqual(
    [],
  );
});
