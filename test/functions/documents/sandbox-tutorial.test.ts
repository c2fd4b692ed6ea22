/** docs/tutorials/sandbox.md, typed against a sandbox with ports of its own, which `levelset sandbox --serve` runs. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ROOT } from '../../repo/files.ts';
import { type, typedBlocks } from './typed-document.ts';

const blocks = typedBlocks('docs/tutorials/sandbox.md');
let story = '';
let env: NodeJS.ProcessEnv = {};
let sandbox: ChildProcessByStdio<null, Readable, null>;

beforeAll(async () => {
  const command = [join(ROOT, 'functions/cli.ts'), 'sandbox', '--serve', '--listen=127.0.0.1:0'];
  const plain = { ...process.env, NO_COLOR: '1', FORCE_COLOR: '0' };
  sandbox = spawn(process.execPath, command, { env: plain, stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const text of sandbox.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    story += String(text);
    if (story.includes('goes on from here')) break;
  }
  sandbox.stdout.resume();
  const exported = [...story.matchAll(/\b((?:LEVELSET_)?[A-Z_]+)=(\/\S+)/g)].map(([, name, value]) => [
    name,
    value,
  ]);
  const page = /status page +(\S+)/.exec(story)?.[1];
  const token = /Bearer (\S+)'/.exec(story)?.[1];
  env = { ...(Object.fromEntries(exported) as NodeJS.ProcessEnv), PAGE: page, RESYNC_TOKEN: token };
});

afterAll(async () => {
  const ended = once(sandbox, 'exit');
  sandbox.kill();
  await ended;
});

test('the story says when it is done, and what to try next', () => {
  expect(story).toContain('Done: 5 Services serve');
  expect(story).toContain('npx node dist/levelset.mjs drift');
  expect(Object.keys(env).toSorted()).toEqual([
    'KUBECONFIG',
    'LEVELSET_CLOUD_CONFIG',
    'LEVELSET_KUBECONFIG',
    'PAGE',
    'RESYNC_TOKEN',
  ]);
});

test('there are blocks to type', () => {
  expect(blocks.length).toBeGreaterThan(4);
});

test.each(blocks)('$at', async (block) => {
  const printed = await type(block, env);
  expect(block.expected.filter((line) => !printed.split('\n').includes(line))).toEqual([]);
});
