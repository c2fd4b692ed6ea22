/** The registry in Parameter Store: what is read, how often, and what counts while it cannot be read. */
import fc from 'fast-check';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { OF_RECEIVING } from '../../../../shared/clusters/entry.ts';
import { ParameterSource } from '../../../../functions/lambda/clusters/parameter-source.ts';
import { TEXTS, type TextName } from '../../../../shared/clusters/entry.ts';
import { Registry } from '../../../../shared/clusters/registry.ts';
import { errorText } from '../../../../shared/model/errors.ts';
import { WHOLE } from '../../../unit/clusters/entry-texts.ts';
import { startAws, type AwsFake } from '../aws-fake.ts';

let aws: AwsFake;
let nowMs: number;
let told: string[];
beforeEach(async () => {
  aws = await startAws();
  onTestFinished(() => aws.close());
  nowMs = 1_800_000_000_000;
  told = [];
});

function source(only?: readonly TextName[]): ParameterSource {
  const note = (message: string, fields?: object): void =>
    void told.push(`${message} ${JSON.stringify(fields)}`);
  const env = {
    ...{ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' },
    AWS_ENDPOINT_URL_SSM: aws.url,
  };
  const log = { debug: note, info: note, warn: note, error: note };
  return new ParameterSource('/levelset/prod', env, log, only, () => nowMs);
}

function write(name: string, texts: Readonly<Record<string, string>>): void {
  for (const [text, value] of Object.entries(texts)) {
    aws.parameters.set(`/levelset/prod/clusters/${name}/${text}`, value);
    aws.modified.set(`/levelset/prod/clusters/${name}/${text}`, nowMs / 1_000);
  }
}

const reads = (): number => aws.calls.length;
const later = (seconds: number): void => void (nowMs += seconds * 1_000);

test('whatever stands below the path, names are those with a text, and a read has all texts of one and nothing else', async () => {
  const name = fc.stringMatching(/^[a-z0-9]{1,4}$/);
  const entries = fc.dictionary(name, fc.subarray([...TEXTS], { minLength: 1 }), { maxKeys: 12 });
  const strange = fc.constantFrom('readme', 'a/b/kubeconfig', 'x/other', 'x/deeper/kubeconfig');
  await fc.assert(
    fc.asyncProperty(entries, fc.array(strange), async (wanted, others) => {
      aws.parameters.clear();
      aws.parameters.set('/levelset/prod/clusters-of-others/x/kubeconfig', 'no');
      for (const path of others) aws.parameters.set(`/levelset/prod/clusters/${path}`, 'no');
      for (const [of, texts] of Object.entries(wanted))
        for (const text of texts)
          aws.parameters.set(`/levelset/prod/clusters/${of}/${text}`, `${of} ${text}`);
      const one = source();

      expect([...(await one.names())].sort()).toEqual(Object.keys(wanted).sort());
      for (const [of, texts] of Object.entries(wanted))
        expect(await one.read(of)).toEqual(Object.fromEntries(texts.map((text) => [text, `${of} ${text}`])));
    }),
    { numRuns: 50 },
  );
});

test('a call that was one too many is made again, for as long as there is time', async () => {
  write('prod-a', WHOLE);
  later(5);
  aws.throttled = 2;
  expect(await source().names()).toEqual(['prod-a']);
  aws.throttled = 999;
  await expect(source().read('prod-a')).rejects.toThrow(
    '/levelset/prod/clusters/prod-a/ cannot be read: Parameter Store answered 400',
  );
}, 15_000);

test('an entry is read again after five minutes, or when it is doubted after five seconds, and a name that nobody has after one', async () => {
  const one = source();
  write('prod-a', WHOLE);
  later(5);
  await one.read('prod-a');
  later(299);
  await one.read('prod-a');
  expect(reads()).toBe(1);
  later(2);
  await one.read('prod-a');
  expect(reads()).toBe(2);
  one.doubt('prod-a');
  later(4);
  await one.read('prod-a');
  expect(reads()).toBe(2);
  later(2);
  await one.read('prod-a');
  await one.read('prod-a');
  expect(reads()).toBe(3);

  expect(await one.read('prod-b')).toBeUndefined();
  later(59);
  write('prod-b', WHOLE);
  expect(await one.read('prod-b')).toBeUndefined();
  expect(reads()).toBe(4);
  later(5);
  expect(await one.read('prod-b')).toEqual(WHOLE);
});

test('after eight names that nobody has a stranger has none looked up for a minute, but those that are known', async () => {
  const one = source();
  write('prod-a', WHOLE);
  later(5);
  await one.read('prod-a');
  for (let index = 0; index < 8; index += 1) {
    expect(one.mayBeAsked(`guess-${index}`)).toBe(true);
    await one.read(`guess-${index}`);
  }
  expect([one.mayBeAsked('guess-8'), one.mayBeAsked('prod-a')]).toEqual([false, true]);
  later(61);
  expect(one.mayBeAsked('guess-8')).toBe(true);
});

test('an entry that is being written is not there yet, and one that changes stays as it was until it is quiet', async () => {
  const registry = new Registry(source(), { flags: {}, env: {} });
  const { kubeconfig = '', ...rest } = WHOLE;
  write('prod-a', { kubeconfig });
  later(1);
  expect(await registry.read('prod-a')).toEqual({
    problems: [expect.stringContaining('it is just being written')],
  });
  write('prod-a', rest);
  later(5);
  const first = await registry.read('prod-a');
  expect(first).toMatchObject({ entry: { name: 'prod-a' }, problems: [] });

  later(301);
  write('prod-a', { flags: 'drift=report' });
  later(1);
  expect((await registry.read('prod-a'))?.entry).toBe(first?.entry);
  later(5);
  expect((await registry.read('prod-a'))?.entry?.settings.flags.drift).toBe('report');
});

test.each(['{"Parameters":[{"Value":hunter2', '{}', 'null'])(
  'an answer of somebody else, %s, says nothing of what is there, and nothing of it is told',
  async (garbled) => {
    const one = source();
    write('prod-a', WHOLE);
    later(5);
    await one.read('prod-a');
    aws.garbled = garbled;
    later(301);
    expect(await one.read('prod-a')).toEqual(WHOLE);
    for (const ask of [(): Promise<unknown> => one.read('prod-b'), () => one.names()]) {
      told.push(await ask().then(() => 'read', errorText));
      expect(told.at(-1)).toContain('cannot be read');
    }
    expect(told.join()).not.toContain('hunter2');
  },
);

test('while Parameter Store cannot be read the texts stay, tries are far between, and no text is told', async () => {
  const one = source();
  write('prod-a', WHOLE);
  later(5);
  await one.read('prod-a');
  aws.down.set('SSM', 400);
  later(301);
  for (let times = 0; times < 5; times += 1) expect(await one.read('prod-a')).toEqual(WHOLE);
  expect(told).toHaveLength(1);
  expect(told.join()).toContain('the texts that were read before stay');
  expect(told.join()).not.toContain('hunter2');
  await expect(one.read('prod-b')).rejects.toThrow('cannot be read');
  await expect(one.names()).rejects.toThrow('/levelset/prod/clusters/ cannot be read');
  aws.down.clear();
  for (const text of Object.keys(WHOLE)) aws.parameters.delete(`/levelset/prod/clusters/prod-a/${text}`);
  later(6);
  expect(await one.read('prod-a')).toBeUndefined();
});

test('a function that only receives events asks for tokens and flags by their names, and for no credentials', async () => {
  write('prod-a', WHOLE);
  later(10);

  const texts = await source(OF_RECEIVING).read('prod-a');

  expect(Object.keys(texts ?? {}).toSorted()).toEqual(
    OF_RECEIVING.filter((text) => text in WHOLE).toSorted(),
  );
  expect(aws.calls).toEqual([
    'GetParameters /levelset/prod/clusters/prod-a/audit-tokens /levelset/prod/clusters/prod-a/flags',
  ]);
});
