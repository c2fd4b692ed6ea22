import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import {
  mayJoin,
  mayRefer,
  outOfReach,
  REACH,
  type ReachConfig,
} from '../../../shared/model/load-balancer/reach-and-limits.ts';
import type { ReferenceKind } from '../../../shared/model/attributes/attribute-row.ts';
import { ANNOTATIONS } from '../../../shared/service/intent/annotations.ts';
import { readIntent } from '../../../shared/service/intent/service-intent.ts';
import { aConfig } from '../../support/config.ts';
import { aStoredService } from '../../support/service.ts';

const ID = '6d0f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const OTHER = '7e0f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const kinds = Object.keys(REACH) as readonly ReferenceKind[];

const CONFINED: ReachConfig = {
  reach: 'allowed',
  allowedReferences: [
    { namespace: 'shop', kind: 'subnet', id: ID },
    { namespace: 'shop', kind: 'barbican', id: ID },
    { namespace: 'shop', kind: 'availability_zone', id: 'az-1' },
    { namespace: 'edge', kind: '*', id: '*' },
    { namespace: '*', kind: 'network', id: ID },
  ],
};

test('without configuration all is open as with OCCM, but load balancers of others; confined nothing but a namespace’s own Secrets', () => {
  expect(kinds.filter((kind) => !mayRefer({}, 'shop', kind, ID))).toEqual(['loadbalancer']);
  expect(kinds.filter((kind) => mayRefer({ reach: 'allowed' }, 'shop', kind, ID))).toEqual(['Secret']);
});

test.each<readonly [namespace: string, kind: ReferenceKind, id: string, may: boolean]>([
  ['shop', 'subnet', ID, true],
  ['shop', 'subnet', ID.replaceAll('-', '').toUpperCase(), true],
  ['shop', 'subnet', OTHER, false],
  ['shop', 'port', ID, false],
  ['shop2', 'subnet', ID, false],
  ['shop', 'barbican', `https://anywhere/v1/containers/${ID}`, true],
  ['shop', 'barbican', `https://anywhere/v1/containers/${OTHER}`, false],
  ['shop', 'availability_zone', 'az-1', true],
  ['shop', 'availability_zone', 'az1', false],
  ['edge', 'loadbalancer', OTHER, true],
  ['anybody', 'network', ID, true],
])('%s may name %s %s: %s', (namespace, kind, id, may) => {
  expect(mayRefer(CONFINED, namespace, kind, id)).toBe(may);
});

test.each<[tags: readonly string[], may: boolean, namespace?: string]>([
  [[], false],
  [['x', 'levelset-allow=edge', 'levelset-allow=shop'], true],
  [['levelset-allow=*'], true],
  [['levelset-allow=shop2'], false],
  [['levelset-allow='], false],
  [['allow=shop', 'levelset-name=shop/web'], false],
  [[], true, 'edge'],
])('a load balancer with the tags %j lets a namespace in: %s', (tags, may, namespace = 'shop') => {
  expect(mayJoin({ ...CONFINED, reach: 'allowed' }, namespace, { id: ID, tags })).toBe(may);
});

test('the message names the missing entry, where an entry can allow it', () => {
  expect(outOfReach('shop', 'subnet', ID)).toContain(`--allowed-references=shop/subnet/${ID}`);
  expect(outOfReach('shop', 'subnet', '&a,b')).toContain('--allowed-references=shop/subnet/*');
});

test('of several certificates the one that is out of reach is named', () => {
  const refs = `${ID},https://x/v1/secrets/${OTHER}`;
  const annotations = { 'levelset.openstack.org/tls-container-refs': refs };
  const service = aStoredService({ namespace: 'shop', annotations });
  expect(readIntent(service, { ...aConfig(), ...CONFINED }).problems).toMatchObject([
    { value: `https://x/v1/secrets/${OTHER}`, blocking: true },
  ]);
});

test('every annotation that takes an id says what it refers to', () => {
  const isRead = ({ parse }: (typeof ANNOTATIONS)[number], text: string): boolean => 'value' in parse(text);
  const takesIds = ANNOTATIONS.filter(
    (row) =>
      row.example.endsWith('_ID') ||
      (isRead(row, ID) && !['example.org', 'a=b', 'AES128-SHA'].some((text) => isRead(row, text))),
  );
  expect(takesIds.length).toBeGreaterThan(8);
  expect(takesIds.flatMap(({ refers, names }) => (refers ? [] : names))).toEqual([]);
});

test('SECURITY.md names every kind', () => {
  const page = readFileSync('SECURITY.md', 'utf8');
  expect(kinds.filter((kind) => !page.includes(`\`${kind}\``))).toEqual([]);
});
