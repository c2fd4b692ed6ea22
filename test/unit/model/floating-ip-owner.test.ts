import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  isFloatingIPMadeFor,
  isFloatingIPElsewhere,
  isUntagged,
  serviceDescribed,
  whyNotFree,
} from '../../../shared/model/load-balancer/whose.ts';
import { clusterTag, floatingIPDescription, keptTag, serviceTag } from '../../../shared/model/ownership.ts';
import type { WireResource } from '../../../shared/model/resources.ts';

const CLUSTER = { id: 'c1', name: 'kubernetes' };
const OTHER = { id: 'c2', name: 'kubernetes' };
const WEB = { namespace: 'shop', name: 'web' };
const object = { name: WEB, service: { metadata: { uid: 'own' } } };
const GO = 'Floating IP for Kubernetes external service';

const aFloatingIP = (tags: readonly string[], description = ''): WireResource => ({
  ...{ id: 'f', floating_ip_address: '203.0.113.7', port_id: null },
  tags,
  description,
});

const OF_ANOTHER = 'another cluster';
const ALL = 'levelset-allow=*';

/** Why one without a port is not free: in words, where consent would help; another cluster's never is. */
// prettier-ignore
test.each<[string, readonly string[], string, because: string | undefined]>([
  ['with a user’s own words', ['shop'], 'for the shop', undefined],
  ['that was made for the Service', [], floatingIPDescription(CLUSTER, WEB), undefined],
  ['of a namesake before it', [clusterTag(CLUSTER), serviceTag('old')], floatingIPDescription(CLUSTER, WEB), undefined],
  ['of OCCM’s Service of that name', [], `${GO} shop/web from cluster kubernetes`, undefined],
  ['that is kept for the namespace', [clusterTag(CLUSTER), keptTag(CLUSTER, 'shop')], `${GO} shop/x from cluster k`, undefined],
  ['of another Service, which consents', [serviceTag('other'), 'levelset-allow=shop'], '', undefined],
  ['of another Service', [clusterTag(CLUSTER), serviceTag('other')], '', 'another Service, whose UID is other'],
  ['made for another Service', [], floatingIPDescription(CLUSTER, { ...WEB, name: 'x' }), 'Service shop/x'],
  ['of OCCM in another cluster', [], `${GO} shop/x from cluster prod`, 'of cluster prod'],
  ['of OCCM under another cluster name', [], `${GO} shop/web from cluster prod`, 'of this very name under the cluster name prod, while --cluster-name is kubernetes'],
  ['kept for another namespace', [keptTag(CLUSTER, 'edge')], '', 'kept for another namespace, edge'],
  ['that consents to another namespace', [serviceTag('other'), 'levelset-allow=edge'], '', 'another Service'],
  ['of another cluster by its tag', [clusterTag(OTHER), ALL], '', OF_ANOTHER],
  ['of another cluster by a namesake’s description', [ALL], floatingIPDescription(OTHER, WEB), OF_ANOTHER],
  ['of another cluster by one of two tags', [clusterTag(CLUSTER), clusterTag(OTHER), ALL], floatingIPDescription(CLUSTER, WEB), OF_ANOTHER],
])('a floating IP %s', (_, tags, description, because) => {
  const wire = aFloatingIP(tags, description);
  const isElsewhere = because === OF_ANOTHER;
  const [asked, consented] = [false, true].map((isAllowed) => whyNotFree(wire, object, CLUSTER, isAllowed));
  expect(asked ?? '').toContain(because ?? '');
  expect([asked, consented].map((one) => one !== undefined)).toEqual([because !== undefined, isElsewhere]);
  if (isElsewhere) expect(isFloatingIPMadeFor(wire, WEB, CLUSTER)).toBe(false);
});

test('a description leads back to the Service and the cluster that wrote it, and to no other', () => {
  const aName = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/);
  const aCluster = fc.record({ id: fc.uuid(), name: fc.stringMatching(/^[a-zA-Z0-9._-]{1,250}$/) });
  const aKey = fc.record({ namespace: aName, name: aName });
  fc.assert(
    fc.property(aCluster, aCluster, aKey, aKey, (cluster, other, key, another) => {
      const wire = aFloatingIP([], floatingIPDescription(cluster, key));
      expect(serviceDescribed(String(wire['description']))).toEqual(key);
      expect(isFloatingIPMadeFor(wire, key, cluster)).toBe(true);
      expect(isFloatingIPElsewhere(wire, cluster)).toBe(false);
      expect(isFloatingIPElsewhere(wire, other)).toBe(cluster.id !== other.id);
      expect(isFloatingIPMadeFor(wire, another, cluster)).toBe(
        another.name === key.name && another.namespace === key.namespace,
      );
    }),
  );
});

test.each([
  ['with levelset’s description alone', [], floatingIPDescription(CLUSTER, WEB), true],
  ['made under a former cluster name', [], floatingIPDescription({ ...CLUSTER, name: 'old' }, WEB), true],
  ['with a person’s tag', ['shop'], floatingIPDescription(CLUSTER, WEB), true],
  ['with levelset’s tags', [clusterTag(CLUSTER)], floatingIPDescription(CLUSTER, WEB), false],
  ['of another cluster', [], floatingIPDescription(OTHER, WEB), false],
  ['of OCCM', [], `${GO} shop/web from cluster kubernetes`, false],
])('whether a floating IP %s has lost levelset’s tags', (_, tags, description, lost) => {
  expect(isUntagged(aFloatingIP(tags, description), CLUSTER)).toBe(lost);
});
