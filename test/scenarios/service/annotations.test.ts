import { describe, expect, test } from 'vitest';
import { ENTRIES, type Annotations, type Shown } from '../../support/annotation-entries.ts';
import { EXAMPLES, isOnlyAtCreate, isShown, withIds } from '../../support/annotation-examples.ts';
import { ANNOTATIONS } from '../../../shared/service/intent/annotations.ts';
import { aWorld } from '../../support/for-one-test.ts';
import type { SandboxWorld } from '../../support/sandbox-world.ts';
import { asPkcs12, certificateOf, keepTlsSecret } from '../../support/tls-secret.ts';
import { leftovers, readyOf, serviceOf } from '../../support/told.ts';
import { textOf } from '../../repo/files.ts';

let it: SandboxWorld;

/** What a Service's own load balancer shows; ids are left out, since they change with what is made anew. */
function shown(): Shown {
  const { loadbalancers, listeners, pools, members, healthmonitors, l7policies, floatingips } = it.cloud;
  return {
    loadbalancer: loadbalancers,
    listener: listeners,
    pool: pools,
    member: [...members].sort((a, b) => (a.name < b.name ? -1 : 1)),
    healthmonitor: healthmonitors,
    l7policy: l7policies,
    floatingip: floatingips,
    ingress: (serviceOf(it)?.status?.loadBalancer?.ingress ?? []).map((one) => ({ ...one })),
  };
}

/** Ids of this cloud, by the words of the examples. */
async function idsOf(): Promise<Readonly<Record<string, string>>> {
  const { cloud } = it;
  const [external, inner] = [true, false].map((is) =>
    cloud.networks.find((one) => one['router:external'] === is),
  );
  const subnet = (network: string | undefined, version = 4): string =>
    cloud.subnets.find((one) => one.network_id === network && one.ip_version === version)?.id ?? '';
  const FLAVOR_ID = '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
  cloud.flavors.push({ id: FLAVOR_ID, name: 'large', description: '', enabled: true });
  cloud.availabilityZones.push({ name: 'az1', description: '', enabled: true });
  for (const one of cloud.subnets.filter(({ network_id }) => network_id === external?.id))
    Object.assign(one, { name: 'public-1', tags: ['paid'] });
  const text = (secret_type: string, payload: string) =>
    it.world.cloud.create('secret', { secret_type, payload, payload_content_type: 'text/plain' });
  const pair = await it.world.cloud.create('secret', asPkcs12('one'));
  const ca = await text('certificate', certificateOf('one'));
  const crl = await text('opaque', '-----BEGIN X509 CRL-----\nMIIB\n-----END X509 CRL-----\n');
  keepTlsSecret(it, 'one');
  const fixed_ips = [{ subnet_id: subnet(inner?.id) }];
  const port = await it.world.cloud.create('port', { network_id: inner?.id, fixed_ips });
  return {
    SUBNET_ID: subnet(inner?.id),
    NETWORK_ID: inner?.id ?? '',
    PORT_ID: port.id,
    EXTERNAL_NETWORK_ID: external?.id ?? '',
    EXTERNAL_SUBNET_ID: subnet(external?.id),
    FLAVOR_ID,
    CERTIFICATE_ID: pair.id,
    CA_ID: ca.id,
    CRL_ID: crl.id,
    SECOND_SUBNET_ID: subnet(inner?.id, 6),
  };
}

const PORTS = [{ name: 'web', port: 80, nodePort: 30_080 }];
const ask = async (annotations: Readonly<Record<string, string | null>>): Promise<void> => {
  const { outcome } = await it.make({ annotations: annotations as Annotations, spec: { ports: PORTS } });
  expect(outcome).toEqual({ status: 'settled' });
  expect(readyOf(it)).toMatchObject({ status: 'True' });
  expect(it.told()).not.toContain('\n');
};

const HERE = EXAMPLES.filter(({ entry }) => entry.elsewhere === undefined);
const ELSEWHERE = EXAMPLES.filter(({ entry }) => entry.elsewhere !== undefined);

describe.each(HERE.map((example) => [example.name, example] as const))('%s', (name, example) => {
  test(`does what its example says: ${example.row.example}`, async () => {
    it = await aWorld({}, { createMonitor: false });
    const ids = await idsOf();
    const resolve = (text: string): string => withIds(text, ids);
    const { needs = {} } = example.entry;
    const context = Object.fromEntries(Object.entries(needs).map(([key, text]) => [key, resolve(text)]));
    const value = resolve(example.row.example);
    const atCreate = isOnlyAtCreate(example.row);
    const others = Object.fromEntries(Object.entries(context).filter(([key]) => key !== name));
    if (!atCreate) {
      await ask(others);
      expect(isShown(example, value, shown())).toBe(false);
    }

    await ask({ ...others, [name]: value });
    expect(isShown(example, value, shown())).toBe(true);

    if (atCreate) return;
    await ask({ ...others, [name]: null });
    expect(isShown(example, value, shown())).toBe(false);
    await it.remove('web');
    expect(leftovers(it)).toEqual({});
  });
});

test.each(ELSEWHERE)('what one Service cannot show is shown elsewhere: $name', ({ name, row, entry }) => {
  const text = textOf(entry.elsewhere ?? '');
  expect([name.split('/').at(-1) ?? '', row.sets].some((word) => text.includes(word))).toBe(true);
});

test('every entry is of a row', () => {
  const rows = ANNOTATIONS.map(({ on, sets }) => `${on}.${sets}`);
  expect(Object.keys(ENTRIES).filter((key) => !rows.includes(key))).toEqual([]);
});
