import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Texts } from '../../../shared/clusters/entry.ts';
import { FolderSource } from '../../../shared/clusters/folder.ts';
import type { ReconcileError } from '../../../shared/model/errors.ts';
import { aFolder } from '../../support/for-one-test.ts';

/** A folder of clusters, and its source, by whose clock nobody has written into it lately. */
function open(aheadMs = 6_000) {
  const path = aFolder();
  return {
    path,
    source: new FolderSource(path, () => Date.now() + aheadMs),
    /** Writes these texts of an entry, and leaves its other ones. */
    write: (name: string, texts: Texts): void => {
      mkdirSync(join(path, name), { recursive: true });
      for (const [text, content] of Object.entries(texts)) writeFileSync(join(path, name, text), content);
    },
  };
}

test('an entry is a folder with files; other files, other names and names with a dot are none', async () => {
  const { path, source, write } = open();
  write('b', { kubeconfig: 'k', flags: 'f' });
  write('a', { 'cloud.conf': 'c' });
  write('.git', { kubeconfig: 'k' });
  writeFileSync(join(path, 'README'), 'about');
  writeFileSync(join(path, 'a/kubeconfig~'), 'old');
  mkdirSync(join(path, 'empty'));
  expect((await source.names()).toSorted()).toEqual(['a', 'b', 'empty']);
  expect(await source.read('b')).toEqual({ kubeconfig: 'k', flags: 'f' });
  expect(await source.read('a')).toEqual({ 'cloud.conf': 'c' });
  expect(await source.read('empty')).toEqual({});
  expect(await source.read('README')).toBeUndefined();
  expect(await source.read('none')).toBeUndefined();
});

test('half of what somebody writes is not read: what was there before counts until two seconds have passed, but by a clock that is behind', async () => {
  const { path, write } = open();
  let aheadMs = 0;
  const source = new FolderSource(path, () => Date.now() + aheadMs);
  write('a', { kubeconfig: '1' });
  expect(await source.read('a')).toBeUndefined();
  write('a', { flags: '1' });
  aheadMs = 2_001;
  expect(await source.read('a')).toEqual({ kubeconfig: '1', flags: '1' });
  aheadMs = 0;
  rmSync(join(path, 'a/kubeconfig'));
  expect(await source.read('a')).toEqual({ kubeconfig: '1', flags: '1' });
  aheadMs = -10_000;
  expect(await source.read('a')).toEqual({ flags: '1' });
});

test.each([
  ['a Secret for each cluster', 'a', '.'],
  ['one volume of all', '.', 'a'],
])('Kubernetes mounts %s', async (_, at, inside) => {
  const { path, source } = open();
  const base = join(path, at);
  // as a kubelet writes it: everything into a new folder, to which `..data` then leads, in one step
  const mount = (number: number, texts: Readonly<Record<string, string>>): void => {
    const fresh = `..2026_${number}`;
    mkdirSync(join(base, fresh, inside), { recursive: true });
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(base, fresh, inside, name), text);
    symlinkSync(fresh, join(base, '..data_tmp'));
    renameSync(join(base, '..data_tmp'), join(base, '..data'));
    rmSync(join(base, `..2026_${number - 1}`), { recursive: true, force: true });
  };
  mount(1, { kubeconfig: 'one', 'cloud.conf': 'one' });
  for (const name of at === '.' ? ['a'] : ['kubeconfig', 'cloud.conf'])
    symlinkSync(`..data/${name}`, join(base, name));
  expect(await source.names()).toEqual(['a']);
  expect(await source.read('a')).toEqual({ kubeconfig: 'one', 'cloud.conf': 'one' });
  mount(2, { kubeconfig: 'two', 'cloud.conf': 'two', flags: '' });
  expect(await source.read('a')).toEqual({ kubeconfig: 'two', 'cloud.conf': 'two', flags: '' });
});

test('a link that leads out of the folder is refused, be it of an entry or of a text', async () => {
  const { path, source, write } = open();
  const outside = open();
  outside.write('machine', { kubeconfig: 'of the machine' });
  symlinkSync(join(outside.path, 'machine'), join(path, 'a'));
  write('b', { flags: '' });
  symlinkSync(join(outside.path, 'machine/kubeconfig'), join(path, 'b/kubeconfig'));
  await expect(source.read('a')).rejects.toThrow(`a cannot be read: it leads out of ${path}`);
  await expect(source.read('b')).rejects.toThrow(`kubeconfig cannot be read: it leads out of ${path}`);
});

test('a pipe holds nobody up, and what is larger than a Secret is not read', async () => {
  const { path, source, write } = open();
  write('a', { flags: '' });
  execFileSync('mkfifo', [join(path, 'a/kubeconfig')]);
  write('b', { kubeconfig: 'x'.repeat(1_048_577) });
  await expect(source.read('a')).rejects.toThrow('kubeconfig cannot be read: it is not a file');
  await expect(source.read('b')).rejects.toThrow('kubeconfig cannot be read: it has more than 1048576 bytes');
});

test('a folder that is not there is no folder without entries, and an entry whose link leads nowhere is not gone', async () => {
  const { path, source, write } = open();
  write('a', { kubeconfig: '1' });
  symlinkSync('nowhere', join(path, 'b'));
  symlinkSync('c', join(path, 'c'));
  expect((await source.names()).toSorted()).toEqual(['a', 'b', 'c']);
  await expect(source.read('b')).rejects.toThrow('links lead nowhere');
  await expect(source.read('c')).rejects.toThrow('ELOOP');
  const moved = `${path}-moved`;
  renameSync(path, moved);
  await expect(source.names()).rejects.toThrow(`${path} cannot be read: ENOENT`);
  await expect(source.read('a')).rejects.toThrow(`${path} cannot be read: ENOENT`);
  renameSync(moved, path);
  expect(await source.read('a')).toEqual({ kubeconfig: '1' });
});

test('a folder that is suddenly empty is one that cannot be read, until somebody says that there is none', async () => {
  const { path, source, write } = open();
  expect(await source.names()).toEqual([]);
  write('a', { kubeconfig: '1' });
  await source.read('a');
  rmSync(join(path, 'a'), { recursive: true });
  for (const look of [() => source.names(), () => source.read('a')])
    await expect(look()).rejects.toThrow('it is empty, and had 1 cluster: mount it again');
  writeFileSync(join(path, '.none'), '');
  expect(await source.names()).toEqual([]);
});

test('a folder that is taken away while it is read has all its clusters, or cannot be read', async () => {
  const { path, source, write } = open();
  for (let at = 0; at < 50; at += 1) write(`c-${at}`, {});
  const met = new Set<number | string>();
  for (let times = 0; times < 200; times += 1) {
    const asked = source.names().then(
      (names) => names.length,
      (error: unknown) => (error as ReconcileError).code,
    );
    for (let turns = 0; turns < times % 20; turns += 1) await setImmediate();
    renameSync(path, `${path}-moved`);
    met.add(await asked);
    renameSync(`${path}-moved`, path);
  }
  expect([...met].sort()).toEqual([50, 'CONFIG_INVALID']);
});
