/** What OCCM made stays as it is, however the annotations are written that it read otherwise than levelset, or not at all. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../../shared/service/intent/annotations.ts';
import type { Comparison } from '../../../shared/service/compare-service.ts';
import { nothingApplied } from '../../../shared/service/finish.ts';
import { addressesToPublish, ingressOf } from '../../../shared/service/report/published-status.ts';
import { compareWorld, world } from '../../golden/world.ts';
import { annotationKeys, goodOf } from '../arbitrary.ts';
import { forAll } from '../seed.ts';

const FOLDER = join(import.meta.dirname, '../../golden/takeover/occm');
const WORLDS = readdirSync(FOLDER).flatMap((name) => /^(.*)\.world\.json$/.exec(name)?.slice(1) ?? []);

const OCCM = 'loadbalancer.openstack.org/';
const LEGACY = 'service.beta.kubernetes.io/';
const spaced = (word: string): readonly string[] => [` ${word}`, `${word} `, `\t${word}`];
const BOOLEANS = [
  ...['True', 'TRUE', 'False', 'FALSE', 'yes', 'on', '1', '', ' '],
  ...['true', 'false'].flatMap(spaced),
];
const NUMBERS = ['', '5s', '1.5', '7e3', '0x10', 'many', ...spaced('7'), ...spaced('60000')];
const UUID = '9d1f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const ID = ['', 'a name', '<SUBNET_ID>', UUID, ` ${UUID}`];

/** Texts of OCCM's annotations that leave what it makes as it is without them, or that it reads at a create only. */
const WITHOUT_EFFECT: Readonly<Record<string, readonly string[]>> = {
  class: ['', ' '],
  ...{ 'subnet-id': ID, 'network-id': ID, 'port-id': ID, 'flavor-id': ID },
  ...{ 'floating-network-id': ID, 'floating-subnet-id': ID },
  'availability-zone': ['', 'az1', 'az 1'],
  'floating-subnet': ['', 'public-*', '~('],
  'floating-subnet-tags': ['', 'paid', 'a,,b'],
  'lb-method': ['', 'least_connections', 'Source_IP', 'RANDOM', ' LEAST_CONNECTIONS'],
  'proxy-protocol': ['True', 'TRUE', 'V1', 'V2', 'v3', 'yes', '', ' ', ...spaced('true'), ...spaced('v2')],
  'node-selector': ['', ' '],
  hostname: [''],
  'default-tls-container-ref': ['', ' '],
  'member-subnet-id': ['', UUID, 'a name', ` ${UUID}`],
  'load-balancer-source-ranges': ['', ' '],
};

function textsOf(key: string): readonly string[] {
  const isOfGo = (key.startsWith(OCCM) || key.startsWith(LEGACY)) && !key.includes('kinx-');
  if (!isOfGo) return [...goodOf(key), ...['', 'x y', '🤷', '-1', 'TRUE', ' false ', 'a,b;c']];
  const listed = WITHOUT_EFFECT[key.slice(key.indexOf('/') + 1)];
  if (listed) return listed;
  const { example = '' } = ANNOTATIONS.find(({ names }) => names.includes(key)) ?? {};
  if (example === 'true') return BOOLEANS;
  return /^\d+$/.test(example) ? NUMBERS : goodOf(key);
}

const someTexts = (there: readonly string[]): fc.Arbitrary<Readonly<Record<string, string>>> => {
  const others = annotationKeys.filter((key) => !there.includes(key));
  const aText = fc
    .constantFrom(...others)
    .chain((key) => fc.tuple(fc.constant(key), fc.constantFrom(...textsOf(key))));
  const some = fc.uniqueArray(aText, { minLength: 1, maxLength: 4, selector: ([key]) => key });
  return some.map((pairs) => Object.fromEntries(pairs));
};

const besideTags = ({ plan }: Comparison): readonly unknown[] =>
  plan.steps.filter(
    (step) => step.verb !== 'update' || step.changes.some(({ attribute }) => attribute !== 'tags'),
  );

const published = (comparison: Comparison): unknown => {
  const addresses = addressesToPublish(comparison, nothingApplied(comparison));
  return addresses.length === 0 ? undefined : ingressOf(comparison, addresses);
};

describe.each(WORLDS)('%s, as OCCM left it', (name) => {
  const left = world(`occm/${name}`);
  const { metadata } = left.service;

  test('gets tags, and nothing else, whatever it read otherwise', () =>
    forAll(someTexts(Object.keys(metadata.annotations ?? {})), async (texts) => {
      const annotations = { ...metadata.annotations, ...texts };
      const service = { ...left.service, metadata: { ...metadata, annotations } };
      const comparison = await compareWorld({ ...left, service });

      expect(besideTags(comparison)).toEqual([]);
      expect([left.service.status?.loadBalancer?.ingress, undefined]).toContainEqual(published(comparison));
    }));
});
