import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { FolderSource } from '../../../shared/clusters/folder.ts';
import { entryFolder, type EntryFolder } from './entry-folder.ts';

function open(): { folder: EntryFolder; source: FolderSource } {
  const folder = entryFolder();
  return { folder, source: new FolderSource(folder.path, folder.now) };
}

test('an entry is a folder with files; other files, other names and names with a dot are none', async () => {
  const { folder, source } = open();
  folder.write('b', { kubeconfig: 'k', flags: 'f' });
  folder.write('a', { 'cloud.conf': 'c' });
  folder.write('.git', { kubeconfig: 'k' });
  writeFileSync(join(folder.path, 'README'), 'about');
  writeFileSync(join(folder.path, 'a/kubeconfig~'), 'old');
  mkdirSync(join(folder.path, 'empty'));
  folder.later();
  expect((await source.names()).toSorted()).toEqual(['a', 'b', 'empty']);
  expect(await source.read('b')).toEqual({ kubeconfig: 'k', flags: 'f' });
  expect(await source.read('a')).toEqual({ 'cloud.conf': 'c' });
  expect(await source.read('empty')).toEqual({});
  expect(await source.read('README')).toBeUndefined();
  expect(await source.read('none')).toBeUndefined();
});

test('half of what somebody writes is not read: what was there before counts until two seconds have passed', async () => {
  const { folder } = open();
  let aheadMs = 0;
  const source = new FolderSource(folder.path, () => Date.now() + aheadMs);
  folder.write('a', { kubeconfig: '1' });
  expect(await source.read('a')).toBeUndefined();
  folder.write('a', { flags: '1' });
  aheadMs = 2_001;
  expect(await source.read('a')).toEqual({ kubeconfig: '1', flags: '1' });
  aheadMs = 0;
  rmSync(join(folder.path, 'a/kubeconfig'));
  expect(await source.read('a')).toEqual({ kubeconfig: '1', flags: '1' });
  aheadMs = 2_001;
  expect(await source.read('a')).toEqual({ flags: '1' });
});

test('the files of a machine whose clock is ahead are read', async () => {
  const { folder } = open();
  folder.write('a', { kubeconfig: '1' });
  expect(await new FolderSource(folder.path, () => 0).read('a')).toEqual({ kubeconfig: '1' });
});

/** As a kubelet writes a Secret: everything into a new folder, to which `..data` then leads, in one step. */
function mount(folder: EntryFolder, at: string, generation: number, write: (path: string) => void): void {
  const base = join(folder.path, at);
  const fresh = `..2026_${generation}`;
  write(join(base, fresh));
  symlinkSync(fresh, join(base, '..data_tmp'));
  renameSync(join(base, '..data_tmp'), join(base, '..data'));
  rmSync(join(base, `..2026_${generation - 1}`), { recursive: true, force: true });
}

test.each(['a Secret for each cluster', 'one volume of all'])('Kubernetes mounts %s', async (way) => {
  const { folder, source } = open();
  const [at, inside] = way.startsWith('one') ? ['.', 'a'] : ['a', '.'];
  const generation = (number: number, texts: Readonly<Record<string, string>>): void => {
    mount(folder, at, number, (path) => {
      mkdirSync(join(path, inside), { recursive: true });
      for (const [name, text] of Object.entries(texts)) writeFileSync(join(path, inside, name), text);
    });
  };
  mkdirSync(join(folder.path, at), { recursive: true });
  generation(1, { kubeconfig: 'one', 'cloud.conf': 'one' });
  if (at === '.') symlinkSync('..data/a', join(folder.path, 'a'));
  else
    for (const text of ['kubeconfig', 'cloud.conf'])
      symlinkSync(`..data/${text}`, join(folder.path, 'a', text));
  folder.later();
  expect(await source.names()).toEqual(['a']);
  expect(await source.read('a')).toEqual({ kubeconfig: 'one', 'cloud.conf': 'one' });
  generation(2, { kubeconfig: 'two', 'cloud.conf': 'two', flags: '' });
  folder.later();
  expect(await source.read('a')).toEqual({ kubeconfig: 'two', 'cloud.conf': 'two', flags: '' });
});

test('a link that leads out of the folder is refused, be it of an entry or of a text', async () => {
  const { folder, source } = open();
  const outside = entryFolder();
  outside.write('machine', { kubeconfig: 'of the machine' });
  symlinkSync(join(outside.path, 'machine'), join(folder.path, 'a'));
  folder.write('b', { flags: '' });
  symlinkSync(join(outside.path, 'machine/kubeconfig'), join(folder.path, 'b/kubeconfig'));
  folder.later();
  await expect(source.read('a')).rejects.toThrow(`a cannot be read: it leads out of ${folder.path}`);
  await expect(source.read('b')).rejects.toThrow(`kubeconfig cannot be read: it leads out of ${folder.path}`);
});

test('a pipe holds nobody up, and what is larger than a Secret is not read', async () => {
  const { folder, source } = open();
  folder.write('a', { flags: '' });
  execFileSync('mkfifo', [join(folder.path, 'a/kubeconfig')]);
  folder.write('b', { kubeconfig: 'x'.repeat(1_048_577) });
  folder.later();
  await expect(source.read('a')).rejects.toThrow('kubeconfig cannot be read: it is not a file');
  await expect(source.read('b')).rejects.toThrow('kubeconfig cannot be read: it has more than 1048576 bytes');
});

test('a folder that is not there is no folder without entries, and an entry whose link leads nowhere is not gone', async () => {
  const { folder, source } = open();
  folder.write('a', { kubeconfig: '1' });
  symlinkSync('nowhere', join(folder.path, 'b'));
  symlinkSync('c', join(folder.path, 'c'));
  folder.later();
  expect((await source.names()).toSorted()).toEqual(['a', 'b', 'c']);
  await expect(source.read('b')).rejects.toThrow('links lead nowhere');
  await expect(source.read('c')).rejects.toThrow('ELOOP');
  const moved = `${folder.path}-moved`;
  renameSync(folder.path, moved);
  await expect(source.names()).rejects.toThrow(`${folder.path} cannot be read: ENOENT`);
  await expect(source.read('a')).rejects.toThrow(`${folder.path} cannot be read: ENOENT`);
  renameSync(moved, folder.path);
  expect(await source.read('a')).toEqual({ kubeconfig: '1' });
});

test('a folder that is suddenly empty is one that cannot be read, until somebody says that there is none', async () => {
  const { folder, source } = open();
  expect(await source.names()).toEqual([]);
  folder.write('a', { kubeconfig: '1' });
  folder.later();
  await source.read('a');
  rmSync(join(folder.path, 'a'), { recursive: true });
  for (const look of [() => source.names(), () => source.read('a')])
    await expect(look()).rejects.toThrow('it is empty, and had 1 cluster: mount it again');
  writeFileSync(join(folder.path, '.none'), '');
  expect(await source.names()).toEqual([]);
});
