import { describe, expect, test } from 'vitest';
import { newMemory } from '../../../../shared/memory/memory.ts';
import type { ServiceObject } from '../../../../shared/model/service-object.ts';
import { findSecurityGroups } from '../../../../shared/service/observe/network/security-group.ts';
import { SimulatedCloud } from '../../../support/simulated-cloud.ts';
import type { Wire } from '../../../support/cloud-contents.ts';

const UID = '5e5e5e5e-0000-4000-8000-000000000001';
const CLUSTER = { id: 'c1c1c1c1-0000-4000-8000-000000000000', name: 'kubernetes' };
const NAME = { namespace: 'default', name: 'web' };
const service = { metadata: { ...NAME, uid: UID, resourceVersion: '1' }, spec: {} };
const object: ServiceObject = { key: 'service/default/web', name: NAME, service, wanted: true };
const OURS = [`levelset-cluster=${CLUSTER.id}`, `levelset-service=${UID}`, 'levelset-name=default/web'];

/** As OCCM makes it. */
const group: Wire = {
  id: '77777777-0000-4000-8000-000000000001',
  name: `lb-sg-${UID}-default-web`,
  description: 'Security Group for default/web Service LoadBalancer in cluster elsewhere',
  tags: [],
  created_at: '2026-11-21T08:00:00Z',
};

function find(groups: readonly Wire[], who: ServiceObject): Promise<readonly { id: string }[]> {
  const cloud = new SimulatedCloud({ securitygroup: groups });
  return findSecurityGroups(who, CLUSTER, true, {
    cloud,
    lists: cloud,
    clock: { now: () => 0 },
    memory: newMemory(),
  });
}

describe('the security group of a Service', () => {
  test.each([
    ['OCCM made, whatever the cluster was called then', {}, 1],
    ['has its name and is about something else', { description: 'my firewall' }, 0],
    ['another cluster has taken', { tags: ['levelset-cluster=other'] }, 0],
    ['is ours under another name', { name: 'renamed', description: '', tags: OURS }, 1],
  ])('that %s', async (_, differs, count) => {
    expect(await find([{ ...group, ...differs }], object)).toHaveLength(count);
  });

  test('is found by our tags when the Service is gone', async () => {
    const gone: ServiceObject = { key: object.key, name: NAME, wanted: false };
    expect(await find([{ ...group, tags: OURS }], gone)).toHaveLength(1);
    expect(await find([group], gone)).toEqual([]);
  });
});
