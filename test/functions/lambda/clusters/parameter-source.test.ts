/** The registry in Parameter Store: what is read, how often, and what counts while it cannot be read. */
import fc from 'fast-check';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { ParameterSource } from '../../../../functions/lambda/clusters/parameter-source.ts';
import { TEXTS } from '../../../../shared/clusters/entry.ts';
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

function source(): ParameterSource {
  const note = (message: string, fields?: object) => void told.push(`${message} ${JSON.stringify(fields)}`);
  const env = {
    ...{ AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' },
    AWS_ENDPOINT_URL_SSM: aws.url,
  };
  const log = { debug: note, info: note, warn: note, error: note };
  return new ParameterSource('/levelset/prod', env, log, undefined, () => nowMs);
}

const later = (seconds: number): void => void (nowMs += seconds * 1_000);

/** Writes texts, and waits until they are no longer new. */
function write(name: string, texts: Readonly<Record<string, string>>, seconds = 5): void {
  for (const [text, value] of Object.entries(texts)) {
    aws.parameters.set(`/levelset/prod/clusters/${name}/${text}`, value);
    aws.modified.set(`/levelset/prod/clusters/${name}/${text}`, nowMs / 1_000);
  }
  later(seconds);
}

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
        write(of, Object.fromEntries(texts.map((text) => [text, `${of} ${text}`])));
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
  const tooMany = { status: 400, text: '{"__type":"ThrottlingException"}' };
  aws.trouble.set('SSM', { ...tooMany, times: 2 });
  expect(await source().names()).toEqual(['prod-a']);
  aws.trouble.set('SSM', tooMany);
  const why = '/levelset/prod/clusters/prod-a/ cannot be read: Parameter Store answered 400';
  await expect(source().read('prod-a')).rejects.toThrow(why);
}, 15_000);

test('an entry is read again after five minutes, or when it is doubted after five seconds, and a name that nobody has after one', async () => {
  const one = source();
  const readsAfter = async (seconds: number, name = 'prod-a'): Promise<number> => {
    later(seconds);
    const before = aws.calls.length;
    await one.read(name);
    await one.read(name);
    return aws.calls.length - before;
  };
  write('prod-a', WHOLE);
  expect([await readsAfter(0), await readsAfter(299), await readsAfter(2)]).toEqual([1, 0, 1]);
  one.doubt('prod-a');
  expect([await readsAfter(4), await readsAfter(2), await readsAfter(6)]).toEqual([0, 1, 0]);
  expect([await readsAfter(0, 'prod-b'), await readsAfter(59, 'prod-b')]).toEqual([1, 0]);
  write('prod-b', WHOLE);
  expect(await readsAfter(0, 'prod-b')).toBe(1);
  expect(await one.read('prod-b')).toEqual(WHOLE);
});

test('an entry that is being written is not there yet, and one that changes stays as it was until it is quiet', async () => {
  const registry = new Registry(source(), { flags: {}, env: {} });
  const { kubeconfig = '', ...rest } = WHOLE;
  write('prod-a', { kubeconfig }, 1);
  const problems = [expect.stringContaining('it is just being written')];
  expect(await registry.read('prod-a')).toEqual({ problems });
  write('prod-a', rest);
  const first = await registry.read('prod-a');
  expect(first).toMatchObject({ entry: { name: 'prod-a' }, problems: [] });

  later(301);
  write('prod-a', { flags: 'drift=report' }, 1);
  expect((await registry.read('prod-a'))?.entry).toBe(first?.entry);
  later(5);
  expect((await registry.read('prod-a'))?.entry?.settings.flags.drift).toBe('report');
});

test.each([
  [400, '{}'],
  [200, '{"Parameters":[{"Value":hunter2'],
])('at %i %s the texts stay, tries are rare, and nothing of it is told', async (status, text) => {
  const one = source();
  write('prod-a', WHOLE);
  await one.read('prod-a');
  aws.trouble.set('SSM', { status, text });
  later(301);
  for (let times = 0; times < 5; times += 1) expect(await one.read('prod-a')).toEqual(WHOLE);
  expect(told).toHaveLength(1);
  expect(told.join()).toContain('the texts that were read before stay');
  for (const ask of [(): Promise<unknown> => one.read('prod-b'), () => one.names()]) {
    told.push(await ask().then(() => 'read', errorText));
    expect(told.at(-1)).toContain('cannot be read');
  }
  expect(told.join()).not.toContain('hunter2');
  aws.trouble.clear();
  aws.parameters.clear();
  later(6);
  expect(await one.read('prod-a')).toBeUndefined();
});

test('for strangers eight reads in ten seconds may find nothing or fail, and those that find an entry cost nothing', async () => {
  const one = source();
  const read = async (name: string): Promise<unknown> =>
    one.readForStranger(name).then(
      (texts) => texts,
      () => 'failed',
    );
  for (let at = 0; at < 12; at += 1) write(`prod-${at}`, WHOLE, 0);
  later(5);
  for (let at = 0; at < 12; at += 1) expect(await read(`prod-${at}`)).toEqual(WHOLE);
  aws.trouble.set('SSM', { status: 400 });
  for (let at = 0; at < 8; at += 1) expect(await read(`guess-${at}`)).toBe('failed');
  expect([await read('guess-8'), await read('prod-0')]).toEqual(['spent', WHOLE]);
  aws.trouble.clear();
  later(11);
  expect(await read('guess-8')).toBeUndefined();
});
