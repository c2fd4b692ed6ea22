/** All that is in the two simulators, as text that two worlds can be compared by. */
import type { SandboxInside } from '../../../infra/sandbox/sandbox.ts';

type Row = Readonly<Record<string, unknown>> & { readonly id: string; readonly name?: string };

/** What differs from world to world, and what no request asks for. */
const PASSING = new Set([
  ...['created_at', 'updated_at', 'revision_number', 'operating_status', 'created', 'updated', 'vip_port_id'],
  ...['port_id', 'lastTransitionTime', 'lastHeartbeatTime', 'resourceVersion', 'creationTimestamp', 'uid'],
  ...['generation', 'managedFields', 'selfLink', 'id', 'clusterIP', 'clusterIPs', 'creator_id', 'payload'],
]);

export const TABLES = [
  ...(['loadbalancers', 'listeners', 'pools', 'members', 'healthmonitors', 'l7policies', 'l7rules'] as const),
  ...(['ports', 'floatingips', 'securityGroups', 'securityGroupRules', 'routers', 'secrets'] as const),
  ...(['servers', 'networks', 'subnets'] as const),
];

/** The rows of OpenStack. */
export function tablesOf({ cloud }: SandboxInside): Readonly<Record<string, readonly Row[]>> {
  return Object.fromEntries(TABLES.map((table) => [table, [...cloud[table]] as unknown as readonly Row[]]));
}

/** Every row of OpenStack by its id, byte by byte. */
export function rowsById(inside: SandboxInside): ReadonlyMap<string, string> {
  const entries = Object.entries(tablesOf(inside)).flatMap(([table, rows]) =>
    rows.map((row): [string, string] => [row.id, `${table} ${JSON.stringify(row)}`]),
  );
  return new Map(entries);
}

/** One line for each thing. Ids are replaced by names; what is there twice is in it twice. */
export function wholeWorld(inside: SandboxInside): readonly string[] {
  const { cloud, kube } = inside;
  const services = kube.list('Service').filter(({ metadata }) => metadata.name !== 'kubernetes');
  const names = new Map<string, string>();
  for (const lb of cloud.loadbalancers) {
    names.set(lb.id, `lb ${lb.name}`).set(lb.vip_address, `VIP of ${lb.name}`);
    names.set(lb.vip_port_id, `port of ${lb.name}`);
  }
  for (const ip of cloud.floatingips) names.set(ip.floating_ip_address, `FIP ${ip.description}`);
  for (const [kind, rows] of Object.entries(tablesOf(inside)))
    for (const { id, name = '' } of rows) if (!names.has(id)) names.set(id, `${kind} ${name}`);
  for (const { metadata } of services) names.set(metadata.uid, `UID of ${metadata.name}`);
  names.delete('');
  const known = [...names].sort(([a], [b]) => b.length - a.length);
  const readable = (value: unknown): string => {
    let text = JSON.stringify(value, (key, own: unknown) => (PASSING.has(key) ? undefined : own));
    // names of what levelset made have ids in them, so twice
    for (let round = 0; round < 2; round += 1)
      for (const [id, name] of known) if (text.includes(id)) text = text.replaceAll(id, name);
    return text
      .replaceAll(/cccccccc-0000-4000-8000-\d{12}/g, 'ID')
      .replaceAll(/fa:16:3e(:[0-9a-f]{2}){3}/g, 'MAC')
      .replaceAll(/f816:3eff:fe[0-9a-f]{2}:[0-9a-f]{1,4}/g, 'EUI')
      .replaceAll(/(approve":")[0-9a-f]{12}/g, '$1HASH');
  };
  const attached = (row: Row): object => {
    const port = row['port_id'];
    if (typeof port !== 'string') return row;
    return { ...row, on: names.get(port) ?? 'a port that is gone' };
  };
  return [
    ...Object.entries(tablesOf(inside)).flatMap(([kind, rows]) =>
      rows.map((row) => `${kind} ${readable(attached(row))}`),
    ),
    ...services.map((service) => `Service ${readable(service)}`),
    ...kube.list('Node').map((node) => `Node ${readable(node)}`),
    ...kube.list('Lease').map(({ metadata }) => `Lease ${readable(metadata.name)}`),
    ...kube
      .list('ConfigMap', 'levelset')
      .filter(({ metadata }) => metadata.name.startsWith('levelset-state'))
      .flatMap(({ data }) => Object.keys(data ?? {}))
      .map((object) => `state ${readable(object)}`),
  ].sort();
}
