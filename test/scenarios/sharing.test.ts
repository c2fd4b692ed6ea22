import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sweep } from '../../shared/sweep.ts';
import { aConfig } from '../support/config.ts';
import { aService } from '../support/service.ts';
import { pause, run, runAll, startSandboxWorld } from '../support/sandbox-world.ts';
import type { SandboxWorld } from '../support/sandbox-world.ts';
import {
  addressOf,
  cloudWrites,
  forceDelete,
  ingressOf,
  leftovers,
  readyOf,
  serviceOf,
} from '../support/told.ts';

const ID = 'loadbalancer.openstack.org/load-balancer-id';
const NAME = 'levelset.openstack.org/load-balancer-name';
const INTERNAL = 'service.beta.kubernetes.io/openstack-internal-load-balancer';

let it: SandboxWorld;
beforeEach(async () => {
  it = await startSandboxWorld({}, { maxSharedLb: 12 });
  it.sandbox.kube.apply({ kind: 'Namespace', metadata: { name: 'other' } });
});
afterEach(() => it.close());

const port = (number: number) => ({ ports: [{ name: 'main', port: number, targetPort: 8080 }] });
const apply = (
  name: string,
  number: number,
  annotations: Record<string, string> = {},
  namespace = 'default',
) => it.sandbox.kube.apply(aService({ name, namespace, annotations, spec: port(number) }));
const lb = () => {
  const [first] = it.sandbox.cloud.loadbalancers;
  if (!first) throw new Error('there is no load balancer');
  return first;
};
const ports = () =>
  it.sandbox.cloud.listeners.map(({ protocol_port }) => protocol_port).sort((a, b) => a - b);
const settledAfter = async (name: string) => {
  const { outcome } = await it.settle(name);
  return outcome.status;
};

/** The owner, and one that joins by its id. */
async function owner(): Promise<string> {
  apply('web', 80);
  await it.settle('web');
  return lb().id;
}

describe('a Service that names the load balancer of another one', () => {
  test('comes onto it, and has its address', async () => {
    const id = await owner();
    apply('api', 81, { [ID]: id });

    expect(await settledAfter('api')).toBe('settled');

    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(it.sandbox.cloud.floatingips).toHaveLength(1);
    expect(ports()).toEqual([80, 81]);
    expect(addressOf(it.sandbox, 'api')).toBe(addressOf(it.sandbox, 'web'));
    expect(lb().tags).toEqual(
      expect.arrayContaining(['levelset-name=default/web', 'levelset-name=default/api']),
    );
    expect(lb().tags).toContain('kube_service_kubernetes_default_api');
    const writes = cloudWrites(it.sandbox).length;
    await it.sweepUntilSettled();
    expect(cloudWrites(it.sandbox)).toHaveLength(writes);
    expect(serviceOf(it.sandbox, 'api')?.metadata.annotations).toEqual({ [ID]: id });
  });

  test('leaves it as it was, whoever looks', async () => {
    const id = await owner();
    apply('api', 81, { [ID]: id });
    await it.settle('api');

    it.sandbox.kube.delete('Service', 'default', 'api');
    await it.settle('api');
    await it.sweepUntilSettled();

    expect(ports()).toEqual([80]);
    expect(it.sandbox.cloud.pools).toHaveLength(1);
    expect(addressOf(it.sandbox)).toBe(it.sandbox.cloud.floatingips[0]?.floating_ip_address);
    expect(lb().tags.filter((tag) => tag.endsWith('api'))).toEqual([]);
    expect(it.sandbox.kube.list('Lease')).toHaveLength(1);

    it.sandbox.kube.delete('Service', 'default', 'web');
    await it.settle('web');
    expect(leftovers(it.sandbox)).toEqual({});
  });

  test('keeps it with its floating IP when the owner leaves first, and takes both along as the last', async () => {
    const id = await owner();
    const address = addressOf(it.sandbox);
    apply('api', 81, { [ID]: id });
    await it.settle('api');

    it.sandbox.kube.delete('Service', 'default', 'web');
    await it.settle('web');
    await it.sweepUntilSettled();

    expect(serviceOf(it.sandbox)).toBeUndefined();
    expect(ports()).toEqual([81]);
    expect(it.sandbox.cloud.pools).toHaveLength(1);
    expect(it.sandbox.cloud.floatingips[0]?.floating_ip_address).toBe(address);
    expect(addressOf(it.sandbox, 'api')).toBe(address);

    it.sandbox.kube.delete('Service', 'default', 'api');
    await it.settle('api');
    await it.sweepUntilSettled();
    expect(leftovers(it.sandbox)).toEqual({});
  });

  test('finds the owner made again as its owner again', async () => {
    const id = await owner();
    const address = addressOf(it.sandbox);
    apply('api', 81, { [ID]: id });
    await it.settle('api');
    it.sandbox.kube.delete('Service', 'default', 'web');
    await it.settle('web');

    apply('web', 8080);
    await it.settle('web');

    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(ports()).toEqual([81, 8080]);
    expect(addressOf(it.sandbox)).toBe(address);
    expect(lb().tags).toContain(`levelset-service=${serviceOf(it.sandbox)?.metadata.uid ?? ''}`);
    expect(lb().tags.filter((tag) => tag.startsWith('levelset-owner='))).toEqual([]);
    for (const name of ['api', 'web']) {
      it.sandbox.kube.delete('Service', 'default', name);
      await it.settle(name);
    }
    await it.sweepUntilSettled();
    expect(leftovers(it.sandbox)).toEqual({});
  });

  test('is told of a port that another one has, and has its other ports', async () => {
    const id = await owner();
    const two = [
      { name: 'a', port: 80, targetPort: 1 },
      { name: 'b', port: 81, targetPort: 2 },
      { name: 'c', port: 80, targetPort: 3, protocol: 'UDP' },
    ];
    it.sandbox.kube.apply(aService({ name: 'api', annotations: { [ID]: id }, spec: { ports: two } }));

    await it.settle('api');

    expect(it.sandbox.cloud.listeners.map((one) => `${one.protocol}/${one.protocol_port}`).sort()).toEqual([
      'TCP/80',
      'TCP/81',
      'UDP/80',
    ]);
    expect(readyOf(it.sandbox, 'api')?.message).toContain('is taken on this load balancer by default/web');

    it.sandbox.kube.delete('Service', 'default', 'web');
    await it.settle('web');
    await it.sweepUntilSettled();
    expect(it.sandbox.cloud.listeners).toHaveLength(3);
    expect(readyOf(it.sandbox, 'api')?.message).not.toContain('is taken');
  });

  test('says what is for the owner to say', async () => {
    const id = await owner();
    apply('api', 81, {
      [ID]: id,
      'loadbalancer.openstack.org/flavor-id': '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d',
    });

    await it.settle('api');

    expect(readyOf(it.sandbox, 'api')?.message).toContain('is for default/web to say');
    expect(ports()).toEqual([80, 81]);
  });

  test('is refused beyond max-shared-lb, and nothing is published', async () => {
    const id = await owner();
    const world = await it.another(aConfig(it.sandbox.authUrl, { maxSharedLb: 1 }));
    apply('api', 81, { [ID]: id });

    const { outcome } = await run({ key: 'service/default/api', trigger: 'audit' }, world);

    expect(outcome).toMatchObject({ status: 'blocked' });
    expect('reason' in outcome && outcome.reason).toContain('max-shared-lb');
    expect(ingressOf(it.sandbox, 'api')).toEqual([]);
    expect(ports()).toEqual([80]);
  });

  test('is refused when it is internal and the load balancer is open', async () => {
    const id = await owner();
    apply('api', 81, { [ID]: id, [INTERNAL]: 'true' });

    expect(await settledAfter('api')).toBe('blocked');
    expect(ports()).toEqual([80]);
  });

  test('that is internal too is as internal as that one', async () => {
    apply('web', 80, { [INTERNAL]: 'true' });
    await it.settle('web');
    apply('api', 81, { [ID]: lb().id, [INTERNAL]: 'true' });
    apply('open', 82, { [ID]: lb().id });

    await it.settle('api');
    await it.settle('open');

    expect(addressOf(it.sandbox, 'api')).toBe(lb().vip_address);
    expect(addressOf(it.sandbox, 'open')).toBe(lb().vip_address);
    expect(readyOf(it.sandbox, 'open')?.message).toContain('has no floating IP');
    expect(it.sandbox.cloud.floatingips).toEqual([]);
  });

  test('stays where it is when it names another one later', async () => {
    const id = await owner();
    apply('api', 81);
    await it.settle('api');
    const own = serviceOf(it.sandbox, 'api')?.metadata.annotations?.[ID];

    apply('api', 81, { [ID]: id });
    const { plan, loadBalancerId } = await it.settle('api');

    expect(loadBalancerId).toBe(own);
    expect(plan?.problems[0]?.message).toContain('stays there');
    expect(serviceOf(it.sandbox, 'api')?.metadata.annotations?.[ID]).toBe(id);
  });
});

/** A load balancer that a person made, with a listener on it. */
async function usersOwn(tags: readonly string[] = []): Promise<string> {
  const subnet = it.sandbox.cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id;
  const pool = { name: 'mine', protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', members: [] };
  const made = await it.world.cloud.create('loadbalancer', {
    name: 'mine',
    vip_subnet_id: subnet,
    tags,
    listeners: [{ name: 'mine', protocol: 'TCP', protocol_port: 9100, default_pool: pool }],
  });
  while (lb().provisioning_status !== 'ACTIVE') {
    await it.world.cloud.get('loadbalancer', made.id);
    await pause(5);
  }
  return made.id;
}

const picture = (): string =>
  JSON.stringify([lb(), it.sandbox.cloud.listeners, it.sandbox.cloud.pools, it.sandbox.cloud.floatingips]);

describe('a load balancer that was not made for the namespace', () => {
  test('is not touched without consent, and nothing is published', async () => {
    await owner();
    const before = picture();
    apply('api', 81, { [ID]: lb().id }, 'other');

    const { outcome } = await it.settle('other/api');

    expect(outcome).toMatchObject({ status: 'blocked' });
    expect('reason' in outcome && outcome.reason).toContain('levelset-allow=other');
    expect(picture()).toBe(before);
    expect(serviceOf(it.sandbox, 'api', 'other')?.status?.loadBalancer?.ingress ?? []).toEqual([]);

    it.sandbox.kube.delete('Service', 'other', 'api');
    await it.settle('other/api');
    await it.sweepUntilSettled();
    expect(picture()).toBe(before);
    expect(serviceOf(it.sandbox, 'api', 'other')).toBeUndefined();
  });

  test.each(['levelset-allow=other', 'levelset-allow=*'])('is shared by the tag %s', async (tag) => {
    await owner();
    lb().tags.push(tag);
    apply('api', 81, { [ID]: lb().id }, 'other');

    expect(await settledAfter('other/api')).toBe('settled');
    expect(ports()).toEqual([80, 81]);
  });

  test('is shared by the word of the operator', async () => {
    await owner();
    const allowedReferences = [{ namespace: 'other', kind: 'loadbalancer' as const, id: lb().id }];
    const config = { ...aConfig(it.sandbox.authUrl), allowedReferences };
    const world = await it.another(config);
    apply('api', 81, { [ID]: lb().id }, 'other');

    for (let tries = 0; tries < 50 && ports().length < 2; tries += 1) {
      await run({ key: 'service/other/api', trigger: 'audit' }, world);
      await pause(15);
    }
    expect(ports()).toEqual([80, 81]);
  });

  test('of another cluster is not shared, whatever its tags say', async () => {
    const id = await usersOwn(['levelset-allow=*', 'levelset-cluster=other']);
    const before = picture();
    apply('api', 81, { [ID]: id });

    expect(await settledAfter('api')).toBe('blocked');
    expect(picture()).toBe(before);
  });

  test('is the user’s own, and stays so: foreign listener, name, tags and consent', async () => {
    const id = await usersOwn(['team=edge', 'levelset-allow=default']);
    const [foreign] = it.sandbox.cloud.listeners;
    const before = JSON.stringify(foreign);
    apply('api', 81, { [ID]: id });
    apply('web', 80, { [ID]: id });

    await it.settle('api');
    await it.settle('web');
    expect(ports()).toEqual([80, 81, 9100]);
    expect(addressOf(it.sandbox)).toBe(lb().vip_address);

    for (const name of ['api', 'web']) {
      it.sandbox.kube.delete('Service', 'default', name);
      await it.settle(name);
    }
    await it.sweepUntilSettled();
    expect(ports()).toEqual([9100]);
    expect(JSON.stringify(it.sandbox.cloud.listeners[0])).toBe(before);
    expect(lb().tags).toEqual(['team=edge', 'levelset-allow=default']);
    expect(it.sandbox.cloud.pools).toHaveLength(1);
    expect(it.sandbox.kube.list('Lease')).toEqual([]);
  });
});

describe('an id under which there is no load balancer', () => {
  const GONE = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';

  test('is a mistake when a user wrote it', async () => {
    apply('web', 80, { [ID]: GONE });

    expect(await settledAfter('web')).toBe('blocked');
    expect(readyOf(it.sandbox)?.message).toContain('is no load balancer that the project');
    expect(it.sandbox.cloud.loadbalancers).toEqual([]);
  });

  test('does not count when a controller noted it', async () => {
    apply('web', 80, { [ID]: GONE, 'loadbalancer.openstack.org/load-balancer-address': '192.0.2.1' });

    expect(await settledAfter('web')).toBe('settled');
    expect(serviceOf(it.sandbox)?.metadata.annotations).toMatchObject({ [ID]: lb().id });
  });

  test('is no hindrance to a Service that goes to ClusterIP and back, and one that joins joins again', async () => {
    const id = await owner();
    apply('api', 81, { [ID]: id });
    await it.settle('api');

    for (const name of ['web', 'api']) {
      it.sandbox.kube.apply(aService({ name, spec: { type: 'ClusterIP' } }));
      await it.settle(name);
    }
    expect(leftovers(it.sandbox)).toEqual({});
    expect(serviceOf(it.sandbox)?.metadata.annotations ?? {}).toEqual({});
    expect(serviceOf(it.sandbox, 'api')?.metadata.annotations).toEqual({ [ID]: id });

    apply('web', 80);
    expect(await settledAfter('web')).toBe('settled');
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
  });
});

describe('Services that share by a name', () => {
  test('have one load balancer, which the first makes and the last takes along', async () => {
    for (const [at, name] of ['web', 'api', 'dns'].entries()) apply(name, 80 + at, { [NAME]: 'edge' });

    await it.sweepUntilSettled();

    expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
    expect(ports()).toEqual([80, 81, 82]);
    expect(it.sandbox.cloud.floatingips).toHaveLength(1);

    for (const name of ['web', 'api', 'dns']) it.sandbox.kube.delete('Service', 'default', name);
    await it.sweepUntilSettled();
    expect(leftovers(it.sandbox)).toEqual({});
  });

  test('of two namespaces are two, unless the name is the cluster’s and there is consent', async () => {
    apply('web', 80, { [NAME]: 'edge' });
    apply('web', 81, { [NAME]: 'edge' }, 'other');
    await it.sweepUntilSettled();
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(2);

    apply('all', 82, { [NAME]: 'cluster/edge' });
    await it.settle('all');
    apply('all', 83, { [NAME]: 'cluster/edge' }, 'other');
    expect(await settledAfter('other/all')).toBe('blocked');
    const all = it.sandbox.cloud.loadbalancers.find(({ name }) => name.endsWith('default_all'));
    all?.tags.push('levelset-allow=other');
    expect(await settledAfter('other/all')).toBe('settled');
    expect(it.sandbox.cloud.loadbalancers).toHaveLength(3);
  });

  test('give the name back when nobody asks for it any more', async () => {
    apply('web', 80, { [NAME]: 'edge' });
    await it.settle('web');
    expect(lb().tags).toContain('levelset-shared=default/edge');

    it.sandbox.kube.apply({
      kind: 'Service',
      metadata: { name: 'web', namespace: 'default', annotations: { [NAME]: null } },
    });
    await it.settle('web');

    expect(lb().tags).not.toContain('levelset-shared=default/edge');
  });
});

test('a Service that vanished without its finalizer loses its listeners to the sweep, and the others keep theirs', async () => {
  const id = await owner();
  for (const [at, name] of ['api', 'dns'].entries()) {
    apply(name, 81 + at, { [ID]: id });
    await it.settle(name);
  }
  forceDelete(it.sandbox, 'api');

  await it.sweepUntilSettled();

  expect(ports()).toEqual([80, 82]);
  expect(it.sandbox.cloud.pools).toHaveLength(2);
  forceDelete(it.sandbox, 'web');
  await it.sweepUntilSettled();
  expect(ports()).toEqual([82]);
  expect(it.sandbox.cloud.floatingips).toHaveLength(1);
});

test('a tag that was lost from the load balancer is put back from the listeners', async () => {
  const id = await owner();
  apply('api', 81, { [ID]: id });
  await it.settle('api');
  const lost = ['levelset-name=default/api', 'kube_service_kubernetes_default_api'];
  lb().tags = lb().tags.filter((tag) => !lost.includes(tag));
  lb().updated_at = it.sandbox.cloud.octaviaTime();

  it.sandbox.kube.delete('Service', 'default', 'web');
  await it.settle('web');

  expect(ports()).toEqual([81]);
  expect(lb().id).toBe(id);
  await it.settle('api');
  await it.sweepUntilSettled();
  expect(lb().tags).toEqual(expect.arrayContaining(lost));
});

describe('ten at once', () => {
  const names = Array.from({ length: 10 }, (_, at) => `s${at}`);
  const rush = async (worlds: readonly SandboxWorld['world'][]): Promise<void> => {
    for (let rounds = 0; rounds < 400; rounds += 1) {
      const reports = await Promise.all(
        names.map((name, at) => {
          const world = worlds[(at + rounds) % worlds.length] ?? it.world;
          return run({ key: `service/default/${name}`, trigger: 'audit' }, world);
        }),
      );
      if (reports.every(({ outcome }) => outcome.status === 'settled')) return;
      await pause(5);
    }
    throw new Error('they do not settle');
  };

  test.each([
    ['the id of one that is there', true],
    ['a name', false],
  ])(
    'join and leave by %s, and no listener is lost',
    async (_, byId) => {
      const id = byId ? await owner() : '';
      const worlds = [it.world, await it.another(), await it.another()];
      for (const [at, name] of names.entries())
        apply(name, 100 + at, byId ? { [ID]: id } : { [NAME]: 'edge' });

      await rush(worlds);

      const wanted = [...(byId ? [80] : []), ...names.map((_name, at) => 100 + at)];
      expect(it.sandbox.cloud.loadbalancers).toHaveLength(1);
      expect(ports()).toEqual(wanted);
      expect(it.sandbox.cloud.floatingips).toHaveLength(1);
      for (const name of names) expect(lb().tags).toContain(`levelset-name=default/${name}`);

      const leaving = byId ? names : names.filter((_name, at) => at % 2 === 0);
      for (const name of leaving) it.sandbox.kube.delete('Service', 'default', name);
      await rush(worlds);
      expect(ports()).toEqual(byId ? [80] : [101, 103, 105, 107, 109]);

      for (const name of [...names, 'web']) it.sandbox.kube.delete('Service', 'default', name);
      if (byId) await it.settle('web');
      await rush(worlds);
      await runAll(await sweep(it.world), it.world);
      expect(leftovers(it.sandbox)).toEqual({});
    },
    120_000,
  );
});
