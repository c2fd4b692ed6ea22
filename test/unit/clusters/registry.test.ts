import { expect, test } from 'vitest';
import type { Texts } from '../../../shared/clusters/entry.ts';
import { Registry } from '../../../shared/clusters/registry.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { cloudConf, TOKEN, WHOLE } from './entry-texts.ts';

/** A registry over texts that a test sets. */
function registry(first: Record<string, Texts>) {
  const state = { entries: first, isGone: false };
  const asked = (): Record<string, Texts> => {
    if (state.isGone) throw new ReconcileError('CONFIG_INVALID', '/clusters cannot be read: EIO');
    return state.entries;
  };
  const source = {
    names: () => Promise.resolve().then(() => Object.keys(asked())),
    read: (name: string) => Promise.resolve().then(() => asked()[name]),
  };
  const made = new Registry(source, { flags: {}, env: {} });
  const later = (entries: Record<string, Texts>) => {
    state.entries = entries;
    return made.read('a');
  };
  return { made, state, later };
}

const BROKEN: Texts = { ...WHOLE, kubeconfig: 'a: [' };

test('an entry is the same object until its texts differ, and its settings until one differs that a cluster is connected with', async () => {
  const { made, later } = registry({ a: WHOLE });
  const first = await made.read('a');
  expect(first?.problems).toEqual([]);
  expect((await later({ a: { ...WHOLE } }))?.entry).toBe(first?.entry);
  const withToken = await later({ a: { ...WHOLE, 'audit-tokens': TOKEN } });
  expect(withToken?.entry?.tokens.auditTokens).toEqual([TOKEN]);
  expect(withToken?.entry).not.toBe(first?.entry);
  expect(withToken?.entry?.settings).toBe(first?.entry?.settings);
  const other = await later({ a: { ...WHOLE, flags: 'drift=report' } });
  expect(other?.entry?.settings.flags.drift).toBe('report');
});

const NAMES = ['kubeconfig', 'cloud.conf', 'flags', 'ca-file'] as const;

test.each(NAMES)('a %s that is gone counts no more, although another text cannot be used', async (gone) => {
  const all: Texts = { ...WHOLE, flags: 'drift=repair', 'ca-file': '-----BEGIN CERTIFICATE-----' };
  const { made, later } = registry({ a: all });
  expect((await made.read('a'))?.problems).toEqual([]);
  const { [gone]: _gone, ...rest } = { ...all, 'key-file': 'broken' };
  const reading = await later({ a: rest });
  expect(reading?.entry).toBeUndefined();
  expect(reading?.problems).not.toEqual([]);
});

test('while a text cannot be used the last settings count, and a token that was taken away opens nothing; a list that cannot be used leaves the last one', async () => {
  const { made, later } = registry({ a: { ...WHOLE, 'audit-tokens': TOKEN, 'page-tokens': TOKEN } });
  const before = await made.read('a');
  const settings = cloudConf('[LoadBalancer]\nlb-method=SOURCE_IP');
  const reading = await later({ a: { ...BROKEN, 'cloud.conf': settings, 'page-tokens': 'hunter2' } });
  expect(reading?.entry?.settings).toBe(before?.entry?.settings);
  expect(reading?.entry?.tokens).toEqual({ auditTokens: [], resyncTokens: [], pageTokens: [TOKEN] });
  expect(reading?.problems.slice(1)).toEqual([
    'a: page-tokens: a token has fewer than 20 characters; make one by openssl rand -hex 32',
  ]);
});

test('an entry that was never whole cannot be served, and is named all the same', async () => {
  const { made } = registry({ a: BROKEN, B_: WHOLE });
  expect(await made.names()).toEqual(['B_', 'a']);
  expect((await made.read('a'))?.entry).toBeUndefined();
  expect(await made.read('B_')).toEqual({
    problems: ['"B_" is not a name of a cluster: give a DNS label, such as prod-a'],
  });
});

test('an entry that is gone is forgotten: when it comes again broken, nothing of before counts', async () => {
  const { made, later } = registry({ a: WHOLE });
  await made.read('a');
  expect(await later({})).toBeUndefined();
  expect((await later({ a: BROKEN }))?.entry).toBeUndefined();
  const other = registry({ a: WHOLE });
  await other.made.read('a');
  other.state.entries = {};
  await other.made.names();
  expect((await other.later({ a: BROKEN }))?.entry).toBeUndefined();
});

test('a registry that cannot be read says nothing is gone', async () => {
  const { made, state, later } = registry({ a: WHOLE });
  const first = await made.read('a');
  state.isGone = true;
  await expect(made.names()).rejects.toThrow('/clusters cannot be read: EIO');
  expect(await later({})).toEqual({ entry: first?.entry, problems: ['a: /clusters cannot be read: EIO'] });
  state.isGone = false;
  expect(await later({ a: WHOLE })).toEqual(first);
});
