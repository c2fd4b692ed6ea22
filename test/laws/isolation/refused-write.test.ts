/** OpenStack refuses one sort of write, in every run: nobody gets in who neither did before nor is to. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { NODE_GROUP } from '../../support/cloud-contents.ts';
import { SimulatedCloud } from '../../support/simulated-cloud.ts';
import { aConfig } from '../../support/config.ts';
import { aDualNode, serviceOf } from '../arbitrary.ts';
import { comparison, executeOnce, settle } from '../drive.ts';
import { forAllAnd, type Drawn } from '../seed.ts';

class RefusingCloud extends SimulatedCloud {
  refused = '';

  override write<T>(title: string, send: () => Promise<T>): Promise<T> {
    if (title === this.refused) return Promise.reject(new ReconcileError('REJECTED', title));
    return super.write(title, send);
  }
}

const WRITES = [
  ...['create', 'update', 'delete'].flatMap((verb) =>
    ['listener', 'pool', 'member', 'floatingip', 'securitygrouprule'].map((kind) => `${verb} ${kind}`),
  ),
  ...['update loadbalancer', 'update securitygroup', 'update port', 'put members', 'create l7policy'],
];
const GROUP = '7b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';
const CONTENTS = { securitygroup: [NODE_GROUP, GROUP].map((id) => ({ id, name: id })) };
const WHO = {
  everybody: {},
  some: { ranges: ['192.0.2.0/24'] },
  others: { ranges: ['198.51.100.0/24', '203.0.113.0/24'] },
  groups: { annotations: { 'levelset.openstack.org/vip-sg-ids': GROUP } },
};
const anEdit = fc.record({
  internal: fc.boolean(),
  who: fc.constantFrom(...(Object.keys(WHO) as (keyof typeof WHO)[])),
  protocol: fc.constantFrom('tcp', 'tcp', 'http'),
  ports: fc.subarray([80, 443, 8080], { minLength: 1 }),
});
type Edit = Drawn<typeof anEdit>;
const PLAIN: Edit = { internal: false, who: 'everybody', protocol: 'tcp', ports: [80] };
const of = (edit: Partial<Edit>): Edit => ({ ...PLAIN, ...edit });

const written = ({ internal, who, protocol, ports }: Edit) =>
  serviceOf({
    ...{ ranges: [], sticky: false, local: false, ...WHO[who] },
    ports: ports.map((port) => ({ protocol: 'TCP', port, nodePort: 30_000 + port })),
    annotations: {
      'service.beta.kubernetes.io/openstack-internal-load-balancer': String(internal),
      'levelset.openstack.org/protocol': protocol,
      ...(WHO[who] as { readonly annotations?: object }).annotations,
    },
  });
const NODES = [aDualNode(1), aDualNode(2)];
const CONFIGS = {
  amphora: aConfig(),
  ovn: aConfig(undefined, { manageSecurityGroups: true, lbProvider: 'ovn', createMonitor: false }),
};

/** Who gets in at any port, from inside and from the internet. */
function letIn(cloud: SimulatedCloud, provider: keyof typeof CONFIGS): readonly string[] {
  const [lb] = cloud.all('loadbalancer');
  const from = cloud.all('floatingip').some((ip) => ip['port_id']) ? ['inside', 'internet'] : ['inside'];
  const groups = (lb?.['vip_sg_ids'] ?? []) as readonly string[];
  const rules = cloud.all('securitygrouprule');
  const ranges = cloud.all('listener').flatMap((listener) => {
    const port = Number(listener['protocol_port']);
    const allowed = (listener['allowed_cidrs'] ?? ['0.0.0.0/0']) as readonly string[];
    const atNodes = rules.filter((rule) => rule['port_range_min'] === 30_000 + port);
    const held = provider === 'ovn' ? atNodes.map((rule) => String(rule['remote_ip_prefix'])) : allowed;
    return groups.length > 0 ? groups : held;
  });
  return [...new Set(ranges.flatMap((who) => from.map((where) => `${who} ${where}`)))].sort();
}

const EXAMPLES = [
  [of({ internal: true }), of({ who: 'groups' }), 'update loadbalancer', 'amphora'],
  [of({ who: 'some' }), of({ who: 'groups' }), 'update loadbalancer', 'amphora'],
  [of({ internal: true }), of({ who: 'some' }), 'delete securitygrouprule', 'ovn'],
];

test('nothing opens beyond what was open and what is asked for', () =>
  forAllAnd(...EXAMPLES)(
    anEdit,
    anEdit,
    fc.constantFrom(...WRITES),
    fc.constantFrom('amphora', 'ovn'),
    async (first, second, write, provider) => {
      // Octavia takes no source ranges before the groups are off, and the provider ovn no groups
      fc.pre(first.who !== 'groups' || !['some', 'others'].includes(second.who));
      fc.pre(provider !== 'ovn' || ![first.who, second.who].includes('groups'));
      const cloud = new RefusingCloud(CONTENTS, 29);
      const well = new SimulatedCloud(CONTENTS, 29);
      for (const one of [cloud, well]) await settle(written(first), NODES, one, CONFIGS[provider]);
      const before = letIn(cloud, provider);
      await settle(written(second), NODES, well, CONFIGS[provider]);
      const may = [...before, ...letIn(well, provider)];
      const isMore = (one: string) => !may.includes(one) && !may.includes(one.replace(/\S+/, '0.0.0.0/0'));

      cloud.refused = write;
      for (let runs = 0; runs < 12; runs += 1) {
        await executeOnce(await comparison(written(second), NODES, cloud, CONFIGS[provider]), cloud);
        expect(letIn(cloud, provider).filter(isMore)).toEqual([]);
      }

      cloud.refused = '';
      await settle(written(second), NODES, cloud, CONFIGS[provider]);
      expect(letIn(cloud, provider)).toEqual(letIn(well, provider));
    },
  ));
