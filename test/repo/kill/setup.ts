/** Before each test file: what it reaches goes into a file of its own. */
import { relative } from 'node:path';
import { expect } from 'vitest';

const folder = process.env['KILL_REACH_FOLDER'];
if (folder !== undefined) {
  const file = relative(process.cwd(), expect.getState().testPath ?? 'unknown');
  process.env['KILL_REACH'] = `${folder}/${file.replaceAll('/', '+')}`;
  (globalThis as { __reached?: Set<string> }).__reached?.clear();
}
