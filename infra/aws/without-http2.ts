import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

const path = fileURLToPath(new URL('no-http2.ts', import.meta.url));

/** Leaves HTTP/2 out of what is built: got's client of it, 20 kB, and the module of Node, which takes 3 ms to load. */
export const withoutHttp2: Plugin = {
  name: 'without-http2',
  setup(build) {
    build.onResolve({ filter: /^node:http2$|\/http2-client\.js$/ }, () => ({ path }));
  },
};
