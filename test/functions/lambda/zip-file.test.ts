import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { zipFile } from '../../../infra/aws/zip-file.ts';

const ENTRIES = [
  { name: 'functions/a.mjs', content: Buffer.from('export const a = 1;\n'.repeat(1000)) },
  { name: 'chunks/ü.mjs', content: Buffer.from('') },
  { name: 'c.bin', content: Buffer.from([...Array(256).keys()]) },
];

test('what another program takes out is what was put in', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'levelset-zip-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  await writeFile(join(directory, 'x.zip'), zipFile(ENTRIES));

  await promisify(execFile)('python3', ['-m', 'zipfile', '-e', join(directory, 'x.zip'), directory]);

  for (const { name, content } of ENTRIES) expect(await readFile(join(directory, name))).toEqual(content);
});

test('the same input is the same archive', () => {
  expect(zipFile(ENTRIES).equals(zipFile(ENTRIES))).toBe(true);
});
