import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from '../../shared/model/kubernetes.ts';
import { lab } from './environment.ts';
import { serverOf, type LabNode, type ServerAddress } from './servers.ts';

interface Recorded {
  readonly nodes: Readonly<
    Record<
      string,
      {
        readonly node: Node;
        readonly server: { readonly addresses: Readonly<Record<string, readonly ServerAddress[]>> };
      }
    >
  >;
}

/** What a cloud controller makes of a Node. */
export interface MadeOfNode {
  readonly labels: Readonly<Record<string, string>>;
  readonly spec: Node['spec'];
  readonly addresses: readonly { readonly type: string; readonly address: string }[];
}

const TYPES = ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'];
const ZONES = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];
const REGIONS = ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'];
const TEST_LABEL = 'levelset-e2e';

/**
 * What the Go provider made of such a server (test/golden/nodes), with the names, id, flavor, region, zone and addresses of
 * this one in the place of the recorded ones.
 */
export async function asRecorded(recorded: string, lives: LabNode): Promise<MadeOfNode> {
  const file = join(lab().repository, 'test/golden/nodes/defaults.json');
  const { nodes } = JSON.parse(readFileSync(file, 'utf8')) as Recorded;
  const found = nodes[recorded];
  if (!found) throw new Error(`${file} has no ${recorded}`);
  const { node, server: then } = found;
  const now = await serverOf(lives);
  const flavor = (now['flavor'] as { original_name: string }).original_name;
  const { region_name: region = '' } = lab().levelsetCloud;
  const zone = String(now['OS-EXT-AZ:availability_zone']);
  const labels = Object.entries(node.metadata.labels ?? {}).map(([key, value]): [string, string] => {
    if (TYPES.includes(key)) return [key, flavor];
    if (ZONES.includes(key)) return [key, zone];
    if (REGIONS.includes(key)) return [key, region];
    return [key, value === recorded ? lives.name : value];
  });
  const nowBySort = new Map(sorts(now.addresses).map(([address, sort]) => [sort, address]));
  const thenByAddress = new Map(sorts(then.addresses));
  return {
    labels: Object.fromEntries(labels),
    spec: { ...node.spec, providerID: `openstack:///${lives.server}` },
    addresses: (node.status?.addresses ?? []).map(({ type, address }) => ({
      type,
      address: nowBySort.get(thenByAddress.get(address) ?? '') ?? `none like ${address}`,
    })),
  };
}

/** The same of a Node as it is, without what the tests put there. */
export function madeOf({ metadata, spec, status }: Node): MadeOfNode {
  const labels = Object.entries(metadata.labels ?? {}).filter(([key]) => key !== TEST_LABEL);
  return { labels: Object.fromEntries(labels), spec, addresses: status?.addresses ?? [] };
}

/** Each address with its network, family and kind, by which those of two servers are the same. */
function sorts(addresses: Readonly<Record<string, readonly ServerAddress[]>>): readonly [string, string][] {
  return Object.entries(addresses).flatMap(([network, all]) =>
    all.map(({ addr, version, 'OS-EXT-IPS:type': type }): [string, string] => [
      addr,
      `${network} ${version} ${type}`,
    ]),
  );
}
