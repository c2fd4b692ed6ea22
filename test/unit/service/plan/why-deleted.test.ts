import { describe, expect, test } from 'vitest';
import { whyChildGoes, whyLeaving, whyMemberGoes } from '../../../../shared/service/plan/why-deleted.ts';
import type { Service } from '../../../../shared/model/kubernetes.ts';
import type { ObservedResource, ResourceKind } from '../../../../shared/model/resources.ts';
import { aService } from '../../../support/service.ts';

const unit = { key: 'service/shop/web', name: { namespace: 'shop', name: 'web' } } as const;
const service = aService() as unknown as Service;
const { metadata, spec } = service;
const deletionTimestamp = '2026-11-22T08:00:00Z';
const letGo = { because: 'its class is other', takenOver: false, keepsFinalizer: false, isApproved: true };

test.each([
  ['that wants one', { ...unit, service, wanted: true }, undefined],
  ['that is gone', { ...unit, wanted: false }, 'Service shop/web is gone'],
  [
    'that is being deleted',
    { ...unit, service: { ...service, metadata: { ...metadata, deletionTimestamp } }, wanted: false, letGo },
    'the Service is being deleted',
  ],
  [
    'of another type',
    { ...unit, service: { ...service, spec: Object.assign({}, spec, { type: 'ClusterIP' }) }, wanted: false },
    'the Service is of type ClusterIP now',
  ],
  ['that was let go', { ...unit, service, wanted: false, letGo }, 'approved; its class is other'],
])('a Service %s leaves its load balancer for its own reason', (_, leaving, why) => {
  expect(whyLeaving(leaving)).toBe(why);
});

function observed(kind: ResourceKind, address: string, wire = {}): ObservedResource {
  return { kind, address, id: 'i', whose: 'ours', wire: { id: 'i', ...wire } };
}

describe('from a load balancer that stays goes', () => {
  const listener = { kind: 'listener', address: 'listener/tcp/80', attributes: {} } as const;
  const asked = { wanted: new Map([[listener.address, listener]]), ports: ['tcp/80', 'tcp/81'] };

  test.each([
    ['listener', 'listener/tcp/443', 'no port of the Service asks for it'],
    ['listener', 'listener/udp/80', 'no port of the Service asks for it'],
    ['listener', 'listener/tcp/81', 'levelset leaves this port of the Service out'],
    ['pool', 'pool/tcp/443', 'no port of the Service asks for it'],
    ['pool', 'pool/tcp/80/next', 'its listener is to use another pool'],
    ['healthmonitor', 'monitor/tcp/80', 'its pool is to have no health monitor'],
    ['l7policy', 'l7policy/tcp/80/redirect', 'its listener is to redirect nothing'],
    ['l7rule', 'l7rule/tcp/80/redirect', 'its redirect is to have no such condition'],
  ] as const)('a %s, %s, since %s', (kind, address, why) => {
    expect(whyChildGoes(observed(kind, address), asked)).toBe(why);
  });

  test('a member, since its node or its Pod is not there, or is reached at another port', () => {
    const member = observed('member', 'member/tcp/80/10.0.0.5:30080', { address: '10.0.0.5' });
    const at = (address: string) => ({ kind: 'member', address: 'm', attributes: { address } }) as const;
    expect(whyMemberGoes(member, [at('10.0.0.6')], false)).toBe('no eligible node is reached there');
    expect(whyMemberGoes(member, [at('10.0.0.6')], true)).toBe('no Pod that can be a member is there');
    expect(whyMemberGoes(member, [at('10.0.0.5')], false)).toBe(
      'another port of the same address takes its place',
    );
  });
});
