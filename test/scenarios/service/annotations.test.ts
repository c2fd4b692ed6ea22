import { afterEach, describe, expect, test } from 'vitest';
import { toPkcs12 } from '../../../shared/model/tls/pkcs12.ts';
import { readTlsSecret } from '../../../shared/model/tls/tls-secret.ts';
import { ENTRIES, type Annotations, type Shown } from '../../support/annotation-entries.ts';
import { EXAMPLES, isOnlyAtCreate, isShown, withIds } from '../../support/annotation-examples.ts';
import { ANNOTATIONS } from '../../../shared/service/intent/annotations.ts';
import { aService } from '../../support/service.ts';
import { startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aTlsSecret, certificateOf } from '../../support/tls-secret.ts';
import { leftovers, readyOf, serviceOf } from '../../support/told.ts';
import { textOf } from '../../repo/files.ts';

let it: SandboxWorld;
afterEach(() => it.close());

/** What a Service's own load balancer shows; ids are left out, since they change with what is made anew. */
function shown(): Shown {
  const { loadbalancers, listeners, pools, members, healthmonitors, l7policies, floatingips } =
    it.sandbox.cloud;
  return {
    loadbalancer: loadbalancers,
    listener: listeners,
    pool: pools,
    member: [...members].sort((a, b) => (a.name < b.name ? -1 : 1)),
    healthmonitor: healthmonitors,
    l7policy: l7policies,
    floatingip: floatingips,
    ingress: (serviceOf(it.sandbox)?.status?.loadBalancer?.ingress ?? []).map((one) => ({ ...one })),
  };
}

/** Ids of this cloud, by the words of the examples. */
async function idsOf(): Promise<Readonly<Record<string, string>>> {
  const { cloud, kube } = it.sandbox;
  const [external, inner] = [true, false].map((is) =>
    cloud.networks.find((one) => one['router:external'] === is),
  );
  const subnet = (network: string | undefined): string =>
    cloud.subnets.find((one) => one.network_id === network && one.ip_version === 4)?.id ?? '';
  cloud.flavors.push({
    id: '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d',
    name: 'large',
    description: '',
    enabled: true,
  });
  cloud.availabilityZones.push({ name: 'az1', description: '', enabled: true });
  for (const one of cloud.subnets.filter(({ network_id }) => network_id === external?.id))
    Object.assign(one, { name: 'public-1', tags: ['paid'] });
  const read = readTlsSecret(aTlsSecret('one'));
  const pair = await it.world.cloud.create('secret', {
    payload: 'pair' in read ? toPkcs12(read.pair).toString('base64') : '',
    payload_content_type: 'application/octet-stream',
    payload_content_encoding: 'base64',
  });
  const ca = await it.world.cloud.create('secret', {
    payload: certificateOf('one'),
    payload_content_type: 'text/plain',
    secret_type: 'certificate',
  });
  const crl = await it.world.cloud.create('secret', {
    payload: '-----BEGIN X509 CRL-----\nMIIB\n-----END X509 CRL-----\n',
    payload_content_type: 'text/plain',
    secret_type: 'opaque',
  });
  const { type, data } = aTlsSecret('one');
  kube.apply({ kind: 'Secret', metadata: { name: 'web-tls' }, type, data: { ...data } });
  const port = await it.world.cloud.create('port', {
    network_id: inner?.id,
    fixed_ips: [{ subnet_id: subnet(inner?.id) }],
  });
  return {
    SUBNET_ID: subnet(inner?.id),
    NETWORK_ID: inner?.id ?? '',
    PORT_ID: port.id,
    EXTERNAL_NETWORK_ID: external?.id ?? '',
    EXTERNAL_SUBNET_ID: subnet(external?.id),
    FLAVOR_ID: '5b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d',
    CERTIFICATE_ID: pair.id,
    CA_ID: ca.id,
    CRL_ID: crl.id,
    SECOND_SUBNET_ID:
      cloud.subnets.find(({ network_id, ip_version }) => network_id === inner?.id && ip_version === 6)?.id ??
      '',
  };
}

const PORTS = [{ name: 'web', port: 80, nodePort: 30_080 }];
const ask = async (annotations: Readonly<Record<string, string | null>>): Promise<void> => {
  const all = annotations as Annotations;
  it.sandbox.kube.apply(aService({ annotations: all, spec: { ports: PORTS } }));
  expect((await it.settle('web')).outcome).toEqual({ status: 'settled' });
  expect(readyOf(it.sandbox)).toMatchObject({ status: 'True' });
  expect(readyOf(it.sandbox)?.message.split('\n').slice(1)).toEqual([]);
};

const HERE = EXAMPLES.filter(({ entry }) => entry.elsewhere === undefined);
const ELSEWHERE = EXAMPLES.filter(({ entry }) => entry.elsewhere !== undefined);

describe.each(HERE.map((example) => [example.name, example] as const))('%s', (name, example) => {
  test(`does what its example says: ${example.row.example}`, async () => {
    it = await startSandboxWorld({}, { createMonitor: false });
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
    expect(leftovers(it.sandbox)).toEqual({});
  });
});

describe('an example that one Service cannot show', () => {
  test.each(ELSEWHERE.map(({ name, row, entry }) => [name, row, entry.elsewhere ?? ''] as const))(
    '%s is shown elsewhere',
    async (name, row, file) => {
      it = await startSandboxWorld();
      expect([name.split('/').at(-1) ?? '', row.sets].some((word) => textOf(file).includes(word))).toBe(true);
    },
  );
});

test('every entry is of a row', async () => {
  it = await startSandboxWorld();
  const rows = ANNOTATIONS.map(({ on, sets }) => `${on}.${sets}`);
  expect(Object.keys(ENTRIES).filter((key) => !rows.includes(key))).toEqual([]);
});
