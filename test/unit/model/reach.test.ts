import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { mayJoin, mayRefer, outOfReach, REACH } from '../../../shared/model/load-balancer/reach.ts';
import type { ReferenceKind } from '../../../shared/model/attributes/attribute-row.ts';
import type { ReachConfig } from '../../../shared/model/load-balancer/reach.ts';

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

test('without configuration all is open as with OCCM, but load balancers of others', () => {
  expect(kinds.filter((kind) => !mayRefer({}, 'shop', kind, ID))).toEqual(['loadbalancer']);
});

test('confined, nothing is in reach but Secrets, which are the namespace’s own', () => {
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

test.each<readonly [tags: readonly string[], may: boolean]>([
  [[], false],
  [['levelset-allow=shop'], true],
  [['x', 'levelset-allow=edge', 'levelset-allow=shop'], true],
  [['levelset-allow=*'], true],
  [['levelset-allow=shop2'], false],
  [['levelset-allow='], false],
  [['allow=shop', 'levelset-name=shop/web'], false],
])('a load balancer with the tags %j lets shop in: %s', (tags, may) => {
  expect(mayJoin({}, 'shop', { id: ID, tags })).toBe(may);
});

test('a load balancer on the operator’s list needs no tag', () => {
  const allowedReferences = [{ namespace: 'shop', kind: 'loadbalancer', id: ID }] as const;
  expect(mayJoin({ allowedReferences }, 'shop', { id: ID })).toBe(true);
  expect(mayJoin({ allowedReferences }, 'shop', { id: OTHER })).toBe(false);
});

test('the message names the missing entry, where an entry can allow it', () => {
  expect(outOfReach('shop', 'subnet', ID)).toContain(`--allowed-references=shop/subnet/${ID}`);
  expect(outOfReach('shop', 'subnet', '&a,b')).toContain('--allowed-references=shop/subnet/*');
});

test('SECURITY.md names every kind', () => {
  const page = readFileSync('SECURITY.md', 'utf8');
  expect(kinds.filter((kind) => !page.includes(`\`${kind}\``))).toEqual([]);
});
