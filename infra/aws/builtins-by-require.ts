import { createRequire } from 'node:module';
import type { Plugin } from 'esbuild';

const require = createRequire(import.meta.url);
const FOUND = 'node-builtin';

/**
 * Makes what is built load the modules of Node by `require`. An `import` runs every getter among their exports, whatever is
 * imported: `node:http` then loads the whole of `fetch`, HTTP/2 with it, and `node:crypto` WebCrypto. That is 15 to 20 ms of
 * each start. An export that nobody uses is read by nobody here.
 */
export const builtinsByRequire: Plugin = {
  name: 'builtins-by-require',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path, kind }) =>
      kind === 'import-statement' ? { path, namespace: FOUND, sideEffects: false } : undefined,
    );
    build.onLoad({ filter: /./, namespace: FOUND }, ({ path }) => ({ contents: moduleOf(path) }));
  },
};

function moduleOf(path: string): string {
  const names = Object.keys(require(path) as object).filter(
    (name) => /^[A-Za-z]\w*$/.test(name) && name !== 'default',
  );
  return [
    `const $module = require(${JSON.stringify(path)});`,
    'const $read = (name) => $module[name];',
    'export default $module;',
    ...names.map((name) => `export const ${name} = /* @__PURE__ */ $read('${name}');`),
  ].join('\n');
}
