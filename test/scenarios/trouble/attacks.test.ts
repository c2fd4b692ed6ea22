/** Attacks by what tenants can write: each test makes one, and checks everything that levelset did. */
import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../../shared/service/intent/annotations.ts';
import { sweep } from '../../../shared/sweep.ts';
import { listening } from '../../support/for-one-test.ts';
import { inEachTest, pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { addressOf } from '../../support/told.ts';

const OCCM = 'loadbalancer.openstack.org/';
const ID = '6d0f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';

const it = inEachTest(() => startSandboxWorld());

const toOpenStack = (): readonly string[] =>
  it.requests
    .filter(({ side }) => side === 'openstack')
    .map(({ method, path, body }) => `${method} ${decodeURIComponent(path)} ${JSON.stringify(body ?? '')}`);

const PATHS = [
  `../pools/${ID}`,
  `${ID}/../../pools`,
  `${ID}?force=EVIL`,
  `${ID}%2fEVIL`,
  `%2e%2e%2fEVIL`,
  `${ID}#EVIL`,
];

test.each(PATHS)('an id that is a path %s never enters a URL, from whichever annotation', async (path) => {
  const referring = ANNOTATIONS.filter(({ refers }) => refers !== undefined).flatMap(({ names }) => names);
  for (const [at, key] of [...referring, `${OCCM}load-balancer-id`].entries()) {
    const name = `web-${String(at)}`;
    it.kube.apply(aService({ name, annotations: { [key]: path } }));
    await it.settle(name, { dryRun: true });
  }

  expect(toOpenStack().filter((line) => line.includes('EVIL') || line.includes('..'))).toEqual([]);
  expect(toOpenStack().filter((line) => line.includes(ID) && !line.startsWith('POST /v3'))).toEqual([]);
});

describe('tags and names that somebody else in the project wrote', () => {
  async function aLoadBalancer(attributes: Readonly<Record<string, unknown>>): Promise<string> {
    const subnet = it.cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'));
    const made = await it.world.cloud.create('loadbalancer', { vip_subnet_id: subnet?.id, ...attributes });
    await pause(30);
    const listener = { name: 'theirs', protocol: 'TCP', protocol_port: 9999, loadbalancer_id: made.id };
    await it.world.cloud.create('listener', listener);
    await pause(30);
    return made.id;
  }
  const idsOf = (): readonly string[] => it.cloud.loadbalancers.map(({ id }) => id);
  const theirs = (): boolean => it.cloud.listeners.some(({ name }) => name === 'theirs');

  async function ours() {
    await it.make();
    const isOurs = (tag: string): boolean => tag.startsWith('levelset-name=');
    const lb = it.cloud.loadbalancers.find(({ tags }) => tags.some(isOurs));
    return { id: lb?.id ?? '', tags: [...(lb?.tags ?? [])], name: lb?.name ?? '' };
  }

  test('all tags and the name of ours, on one that is older, take neither the address nor anything of theirs, and wake no sweep', async () => {
    const stranger = await aLoadBalancer({ name: 'theirs' });
    await pause(1_100);
    const mine = await ours();
    const address = addressOf(it);
    await it.world.cloud.update('loadbalancer', stranger, { tags: mine.tags, name: mine.name });
    await pause(30);

    await it.sweepUntilSettled();
    await it.settle('web', { trigger: 'command' });

    expect(idsOf().toSorted()).toEqual([stranger, mine.id].toSorted());
    expect(theirs()).toBe(true);
    expect(addressOf(it)).toBe(address);
    const { vip_port_id: vip } = it.cloud.loadbalancers.find(({ id }) => id === mine.id) ?? {};
    expect(it.cloud.floatingips[0]?.port_id).toBe(vip);
    await pause(2_100);
    await it.sweepUntilSettled();
    expect((await sweep(it.world)).requests).toEqual([]);
  });

  test.each([
    ['a listener of another Service', ['kube_service_kubernetes_default_api'], undefined],
    ['a pool that nothing uses', ['kube_service_kubernetes_default_web'], 'their pool'],
  ] as const)('one that looks as if we had made it twice stays with %s', async (_, own, pool) => {
    const mine = await ours();
    const [cluster = ''] = mine.tags.filter((tag) => tag.startsWith('levelset-cluster='));
    const stranger = await aLoadBalancer({ name: mine.name, tags: mine.tags });
    const listener = it.cloud.listeners.find(({ name }) => name === 'theirs')?.id ?? '';
    await it.world.cloud.update('listener', listener, { tags: [cluster, ...own] });
    await pause(30);
    const attributes = { name: pool, protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' };
    if (pool) await it.world.cloud.create('pool', { ...attributes, loadbalancer_id: stranger });
    await pause(30);

    await it.settle('web', { trigger: 'command' });

    expect(idsOf().toSorted()).toEqual([stranger, mine.id].toSorted());
  });

  test('a tag that claims to replace ours moves no address', async () => {
    const mine = await ours();
    const tags = [...mine.tags, `levelset-replaces=${mine.id}`];
    const stranger = await aLoadBalancer({ name: 'theirs', tags });
    const port = it.cloud.floatingips[0]?.port_id;

    await it.sweepUntilSettled();
    await it.settle('web', { trigger: 'command' });

    expect(idsOf().toSorted()).toEqual([stranger, mine.id].toSorted());
    expect(theirs()).toBe(true);
    expect(it.cloud.floatingips[0]?.port_id).toBe(port);
  });

  test('another one’s floating IP, marked as the Service’s, stays where it is attached', async () => {
    const mine = await ours();
    const stranger = await aLoadBalancer({ name: 'theirs' });
    const [own] = it.cloud.floatingips;
    const ip = it.cloud.addFloatingIp(undefined, own?.description);
    ip.tags = [...(own?.tags ?? [])];
    ip.port_id = it.cloud.loadbalancers.find(({ id }) => id === stranger)?.vip_port_id ?? null;
    const port = ip.port_id;

    await it.sweepUntilSettled();
    await it.remove('web');
    await it.sweepUntilSettled();

    expect(mine.id).not.toBe(stranger);
    expect(it.cloud.floatingips).toEqual([ip]);
    expect(ip.port_id).toBe(port);
  });
});

test('text that ends in the configuration of haproxy is in no step of a plan, whichever annotation has it, and never reaches OpenStack', async () => {
  const payloads = [
    'app.example.org\n    server EVIL 192.0.2.1:80',
    '/healthz\r\n\tbind :EVIL',
    'APP_COOKIE JSESSIONID\nEVIL',
    '/x EVIL',
    "/x' EVIL",
    '"EVIL',
    'a\u2028EVIL',
    'EVIL\u0000',
    'ALL:!aNULL EVIL',
    'X-Forwarded-For\nEVIL',
    '${EVIL}\\',
  ];
  // these end in no configuration: Octavia keeps them for people
  const forPeople = /\/(approve|.*tags|description|node-selector|class|floating-subnet)$/;
  const spec = { ports: [{ name: 'http', port: 80, appProtocol: 'http' }] };
  const keys = ANNOTATIONS.flatMap(({ names }) => names).filter((key) => !forPeople.test(key));

  for (const [at, key] of keys.entries()) {
    const name = `web-${String(at)}`;
    const annotations = {
      'levelset.openstack.org/redirect-http': 'true',
      'levelset.openstack.org/monitor-type': 'HTTP',
      [key]: payloads[at % payloads.length] ?? '',
    };
    it.kube.apply(aService({ name, annotations, spec }));
    const { plan } = await it.settle(name, { dryRun: true });
    expect(JSON.stringify(plan?.steps), key).not.toContain('EVIL');
    expect(plan?.problems.map(({ field }) => field)).toContain(key);
  }

  expect(toOpenStack().filter((line) => line.includes('EVIL'))).toEqual([]);
});

test('the host of a certificate’s address is asked nothing, and sent to nobody', async () => {
  const asked: string[] = [];
  const url = await listening((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  const annotations = { 'levelset.openstack.org/tls-container-refs': `${url}/v1/containers/${ID}` };
  const { outcome } = await it.make({ annotations, spec: { ports: [{ name: 'https', port: 443 }] } });

  expect(outcome).toMatchObject({ status: 'blocked' });
  expect(asked).toEqual([]);
  expect(toOpenStack().filter((line) => line.includes(new URL(url).host))).toEqual([]);
  expect(toOpenStack()).toContainEqual(expect.stringContaining(`/v1/containers/${ID}`));
});

test('a floating IP out of reach is not taken, and the Service says who can allow it', async () => {
  const { config } = it.world;
  const confined = await it.another({ ...config, reach: 'allowed' });
  const mine = it.cloud.addFloatingIp();
  it.kube.apply(aService({ spec: { loadBalancerIP: mine.floating_ip_address } }));

  await it.sweepUntilSettled(confined);

  expect(mine.port_id).toBeNull();
  expect(it.told()).toContain(`--allowed-references=default/floatingip/${mine.floating_ip_address}`);
  const allowed = { namespace: 'default', kind: 'floatingip', id: mine.floating_ip_address } as const;
  await it.sweepUntilSettled(await it.another({ ...config, reach: 'allowed', allowedReferences: [allowed] }));
  expect(addressOf(it)).toBe(mine.floating_ip_address);
});
