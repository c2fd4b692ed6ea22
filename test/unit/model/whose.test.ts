import { describe, expect, test } from 'vitest';
import { ownersOf, whoseListener, whosePool } from '../../../shared/model/load-balancer/whose.ts';

const UID = '5e5e5e5e-0000-4000-8000-000000000001';
const OTHER = '5e5e5e5e-0000-4000-8000-000000000002';
const CLUSTER = { id: 'c1c1c1c1-0000-4000-8000-000000000000', name: 'kubernetes' };
const OURS = `levelset-cluster=${CLUSTER.id}`;
const GO = 'kube_service_kubernetes_default_';
const NAME = { namespace: 'default', name: 'web' };
const service = { metadata: { ...NAME, uid: UID, resourceVersion: '1' }, spec: {} };
const object = { key: 'service/default/web', name: NAME, service, wanted: true } as const;
const alone = {
  id: '1',
  name: `${GO}web`,
  tags: [OURS, `levelset-service=${UID}`, 'levelset-name=default/web'],
};
const shared = { ...alone, tags: [...alone.tags, 'levelset-name=default/api', `${GO}api`] };

// prettier-ignore
const LISTENERS: readonly (readonly [string, readonly string[], owned: boolean, ownedWhenShared: boolean])[] =
  [
    ['with its UID', [OURS, `levelset-service=${UID}`, `${GO}web`], true, true],
    ['of a namesake when the cluster was called otherwise', [OURS, 'kube_service_old_default_web'], true, true],
    ['of a Service of the same name in another cluster', ['levelset-cluster=other', `${GO}web`], false, false],
    ['of the same name in a cluster called otherwise', ['kube_service_old_default_web'], false, false],
    ['of a Service whose name ends alike', [OURS, 'kube_service_kubernetes_default_my-web'], false, false],
    ['of the cluster that does not say more', [OURS, `levelset-service=${OTHER}`], true, false],
    ['of a person', ['team=observability'], false, false],
  ];

describe('a listener', () => {
  test.each(LISTENERS)('%s', (_, tags, owned, ownedWhenShared) => {
    const wire = { id: '2', name: 'mine', tags };
    expect(whoseListener(ownersOf(object, CLUSTER, alone), wire) !== 'foreign').toBe(owned);
    expect(whoseListener(ownersOf(object, CLUSTER, shared), wire) !== 'foreign').toBe(ownedWhenShared);
  });

  test('of a Service that is gone is told by its name alone', () => {
    const owners = ownersOf({ key: object.key, name: NAME, wanted: false }, CLUSTER, shared);
    const whose = (uid: string, name: string) =>
      whoseListener(owners, { id: '2', tags: [OURS, `levelset-service=${uid}`, GO + name] });
    expect([whose(UID, 'web'), whose(OTHER, 'api')]).toEqual(['ours', 'foreign']);
  });
});

// prettier-ignore
const POOLS: readonly (readonly [string, object, owned: boolean, ownedWhenShared: boolean])[] = [
  ['of its own', { name: `pool_0_${GO}web`, tags: ['levelset-port=tcp/80'] }, true, true],
  ['that another one is making', { name: `pool_0_${GO}api`, tags: ['levelset-port=tcp/81'] }, false, false],
  ['whose name was cut', { name: `pool_0_${GO}${'x'.repeat(250)}`, tags: ['levelset-port=tcp/80'] }, true, false],
  ['of a person', { name: `pool_0_${GO}web`, tags: [] }, false, false],
];

test.each(POOLS)('a pool that no listener uses, %s', (_, wire, owned, ownedWhenShared) => {
  const pool = { id: '3', ...wire };
  expect(whosePool(ownersOf(object, CLUSTER, alone), pool, undefined) !== 'foreign').toBe(owned);
  expect(whosePool(ownersOf(object, CLUSTER, shared), pool, undefined) !== 'foreign').toBe(ownedWhenShared);
});
