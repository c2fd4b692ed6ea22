/** Ports that change their protocol in one edit, and resources that older controllers left half made. */
import { beforeEach, describe, expect, test } from 'vitest';
import { inEachTest, pause, startSandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

const it = inEachTest(() => startSandboxWorld());

interface Port {
  readonly name: string;
  readonly port: number;
  readonly protocol?: string;
  readonly appProtocol?: string;
}

async function serve(ports: string): Promise<void> {
  it.sandbox.kube.apply(aService({ spec: { ports: portsOf(ports) } }));
  await it.settle('web');
}

/** `PROTOCOL/PORT -> POOL xMEMBERS`, sorted. */
function listening(): readonly string[] {
  const { listeners, pools, members } = it.sandbox.cloud;
  return listeners
    .map(({ protocol, protocol_port: port, default_pool_id: id }) => {
      const pool = pools.find((one) => one.id === id);
      const count = members.filter(({ pool_id }) => pool_id === id).length;
      return `${protocol}/${String(port)} -> ${pool?.protocol ?? 'nothing'} x${String(count)}`;
    })
    .sort();
}

/** Of `NAME=PORT`, `NAME=PORT/UDP` or `NAME=PORT/http`, one after the other. */
function portsOf(text: string): readonly Port[] {
  return text.split(' ').map((one) => {
    const [name = '', port, speaks] = one.split(/[=/]/);
    const more = speaks === 'http' ? { appProtocol: speaks } : speaks && { protocol: speaks };
    return { name, port: Number(port), ...more };
  });
}

describe('what was left half made', () => {
  const lb = (): string => it.sandbox.cloud.loadbalancers[0]?.id ?? '';
  async function make(
    kind: 'listener' | 'pool',
    attributes: Readonly<Record<string, unknown>>,
  ): Promise<string> {
    const made = await it.world.cloud.create(kind, { loadbalancer_id: lb(), ...attributes });
    await pause(30);
    return made.id;
  }
  const pool = { protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN' };
  const OURS = 'kube_service_kubernetes_default_web';

  beforeEach(async () => {
    await serve('http=80');
  });

  test('a listener without a pool of a port that is wanted gets one', async () => {
    const tags = it.sandbox.cloud.listeners[0]?.tags ?? [];
    await make('listener', { name: `listener_1_${OURS}`, protocol: 'TCP', protocol_port: 443, tags });

    await serve('http=80 https=443');

    expect(listening()).toEqual(['TCP/443 -> TCP x3', 'TCP/80 -> TCP x3']);
  });

  test('a listener without a pool of a port that nobody wants goes, by our tags or by OCCM’s', async () => {
    const tags = it.sandbox.cloud.listeners[0]?.tags ?? [];
    await make('listener', { name: `listener_1_${OURS}`, protocol: 'TCP', protocol_port: 443, tags });
    await make('listener', { name: `listener_2_${OURS}`, protocol: 'UDP', protocol_port: 53, tags: [OURS] });

    await it.settle('web', { trigger: 'command' });

    expect(listening()).toEqual(['TCP/80 -> TCP x3']);
  });

  test('a pool without a listener that we or OCCM made goes, with what is in it', async () => {
    const ours = await make('pool', { ...pool, name: `pool_1_${OURS}`, tags: ['levelset-port=tcp/443'] });
    await make('pool', { ...pool, name: `pool_2_${OURS}` });
    await it.world.cloud.create('member', { address: '10.0.0.99', protocol_port: 1 }, ours);
    await pause(30);

    await it.settle('web', { trigger: 'command' });

    expect(it.sandbox.cloud.pools).toHaveLength(1);
    expect(it.sandbox.cloud.members).toHaveLength(3);
    expect(listening()).toEqual(['TCP/80 -> TCP x3']);
  });

  test('a pool and a listener of somebody else stay', async () => {
    const theirs = [
      await make('pool', { ...pool, name: 'theirs' }),
      await make('listener', { name: 'theirs', protocol: 'TCP', protocol_port: 9999 }),
    ];

    await it.settle('web', { trigger: 'command' });

    const left = [...it.sandbox.cloud.pools, ...it.sandbox.cloud.listeners].map(({ id }) => id);
    expect(left).toEqual(expect.arrayContaining(theirs));
  });
});
