/** docs/tutorials/sandbox.md, typed against a sandbox with ports of its own, which `levelset sandbox --serve` runs as `npm start` does. */
import { execFile, spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT, textOf } from '../../repo/files.ts';

const DOCUMENT = 'docs/tutorials/sandbox.md';
/** In place of what `npm ci` builds, the sources. */
const FROM_SOURCES =
  'npx() { [ "$1 $2" = "node dist/levelset.mjs" ] || return 127; shift 2; "$NODE" functions/cli.ts "$@"; }';

/** The blocks ```sh of the document, each with the lines of the ```text after it. */
const blocks = [
  ...textOf(DOCUMENT).matchAll(/^( *)```sh\n([^]*?)\n\1```(?:\s*\n\1```text\n([^]*?)\n\1```)?/gm),
].map(({ 2: commands = '', 3: seen = '', index }) => ({
  commands,
  expected: seen.split('\n').filter((line) => line !== ''),
  at: `${DOCUMENT}:${textOf(DOCUMENT).slice(0, index).split('\n').length}`,
}));

let story = '';
let env: NodeJS.ProcessEnv = {};
let sandbox: ChildProcessByStdio<null, Readable, null>;

beforeAll(async () => {
  const command = ['functions/cli.ts', 'sandbox', '--serve', '--listen=127.0.0.1:0'];
  const plain = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
  sandbox = spawn(process.execPath, command, { cwd: ROOT, env: plain, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const text of sandbox.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    story += String(text);
    if (story.includes('goes on from here')) break;
  }
  sandbox.stdout.resume();
  const exported = [...story.matchAll(/\b((?:LEVELSET_)?[A-Z_]+)=(\/\S+)/g)];
  const page = /status page +(\S+)/.exec(story)?.[1];
  const token = /Bearer (\S+)'/.exec(story)?.[1];
  const files = Object.fromEntries(exported.map(([, name = '', value]) => [name, value]));
  env = { ...files, PAGE: page, RESYNC_TOKEN: token };
});

afterAll(() => void sandbox.kill('SIGKILL'));

test('npm start tells the story to the last address, says when it is done, and what to try next', () => {
  expect(story).toContain('Done: 5 Services serve');
  expect(story).toContain('npx node dist/levelset.mjs drift');
  expect(story).toMatch(/default\/nginx +plan\n +default\/nginx: 2 to create\n +\+ lb/);
  expect(story).toMatch(
    /Node node-4 +plan\n[^]+addresses: \+ [^]+providerID: "" -> "openstack:\/\/\/[^]+Node node-4 +matches its server/,
  );
  expect(story).not.toContain('\u001b[');
  const places = ['KUBECONFIG', 'LEVELSET_CLOUD_CONFIG', 'LEVELSET_KUBECONFIG'];
  expect(Object.keys(env).toSorted()).toEqual([...places, 'PAGE', 'RESYNC_TOKEN']);
  expect(blocks.length).toBeGreaterThan(4);
});

test.each(blocks)('$at', async ({ commands, expected }) => {
  const script = ['set -euo pipefail', FROM_SOURCES, commands].join('\n');
  const options = { cwd: ROOT, env: { ...process.env, NODE: process.execPath, ...env }, timeout: 60_000 };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], options);
  expect(expected.filter((line) => !stdout.split('\n').includes(line))).toEqual([]);
});

test('Ctrl-C ends it cleanly, and its files are gone', async () => {
  const ended = once(sandbox, 'exit');
  sandbox.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  expect(existsSync(dirname(env['KUBECONFIG'] ?? ''))).toBe(false);
});
