import type { Sandbox } from '../../infra/sandbox/sandbox.ts';

/**
 * Everything of ours in a sandbox as text that two worlds can be compared by: ids are gone, what hangs on what is shown
 * by nesting, and addresses of floating IPs and VIPs by what they are on. What is there twice is in it twice.
 */
export function picture(sandbox: Sandbox): readonly string[] {
  const { kube, cloud } = sandbox;
  const services = kube.list('Service').filter(({ metadata }) => metadata.name !== 'kubernetes');
  const names = new Map<string, string>([
    [kube.get('Namespace', undefined, 'kube-system')?.metadata.uid ?? '', 'CLUSTER'],
    ...services.map(({ metadata }): [string, string] => [metadata.uid, `UID of ${metadata.name}`]),
    ...cloud.loadbalancers.map((lb): [string, string] => [lb.id, 'LB']),
    ...cloud.loadbalancers.map((lb): [string, string] => [lb.vip_address, 'VIP']),
    ...cloud.secrets.map(({ id, name }): [string, string] => [id, nameOfStored(name)]),
    ...cloud.floatingips.map((ip): [string, string] => [
      ip.floating_ip_address,
      `FIP of ${ip.description.split(' ')[6] ?? ''}`,
    ]),
  ]);
  const readable = (value: unknown): string =>
    [...names]
      .reduce(
        (text, [id, name]) => (id === '' ? text : text.replaceAll(id, name)),
        JSON.stringify(value)
          .replaceAll(/levelset-replaces=[0-9a-f-]{36}/g, 'levelset-replaces=GONE')
          .replaceAll(/(approve":")[0-9a-f]{12}/g, '$1HASH'),
      )
      .replaceAll(/levelset-service=[0-9a-f-]{36}/g, 'levelset-service=GONE');
  const vips = cloud.ports.filter((port) => port.device_owner === 'Octavia');
  return [
    ...services.map(({ metadata, spec, status }) => {
      const { finalizers, annotations } = metadata;
      return `Service ${readable({ type: spec?.['type'], finalizers, annotations, status: withoutTimes(status) })}`;
    }),
    ...cloud.loadbalancers.flatMap((lb) => [
      `lb ${readable({ name: lb.name, status: lb.provisioning_status, tags: [...lb.tags].sort() })}`,
      ...below(sandbox, lb.id).map((line) => `lb ${readable(line)}`),
    ]),
    ...cloud.floatingips.map((ip) => {
      const on = vips.find((port) => port.id === ip.port_id)?.fixed_ips[0]?.ip_address ?? ip.port_id;
      return `floatingip ${readable({ for: ip.description.split(' ')[6], on, tags: [...ip.tags].sort() })}`;
    }),
    ...cloud.secrets.map(({ name }) => `secret ${nameOfStored(name)}`),
    ...vips.map((port) => `port ${readable(port.fixed_ips[0]?.ip_address)}`),
    ...kube
      .list('ConfigMap', 'levelset')
      .flatMap(({ data }) => Object.entries((data ?? {}) as Readonly<Record<string, string>>))
      .filter(([object, text]) => object !== 'left' || !isBegun(text))
      .map(([object]) => `state ${readable(object)}`),
  ].sort();
}

/** Listeners, pools, members and monitors, each with what it is on. */
function below({ cloud }: Sandbox, lb: string): readonly string[] {
  const listeners = cloud.listeners.filter((one) => one.loadbalancer_id === lb);
  return cloud.pools
    .filter((pool) => pool.loadbalancer_id === lb)
    .flatMap((pool) => {
      const users = listeners.filter((one) => one.default_pool_id === pool.id);
      const at = `pool of ${users.map((one) => `${one.protocol}/${String(one.protocol_port)}`).join() || 'nobody'}`;
      return [
        `${at} ${pool.protocol} ${pool.provisioning_status}`,
        ...users.map(
          (one) =>
            `${at} listener ${one.provisioning_status} ${JSON.stringify(one['allowed_cidrs'])}${certificateOf(one)}`,
        ),
        ...cloud.members
          .filter((one) => one.pool_id === pool.id)
          .map((one) => `${at} member ${one.address} ${one.provisioning_status}`),
        ...cloud.healthmonitors
          .filter((one) => one.pool_id === pool.id)
          .map((one) => `${at} monitor ${one.type}`),
      ];
    })
    .concat(
      listeners.filter((one) => !one.default_pool_id).map((one) => `listener without a pool ${one.name}`),
    );
}

/** The cluster has an id of its own in every world. */
function nameOfStored(name: string): string {
  return name.replace(/^levelset\/[0-9a-f]+\//, 'levelset/CLUSTER/');
}

/** Deletions that were begun are remembered for an hour, whatever came of them. */
function isBegun(record: string): boolean {
  return (JSON.parse(record) as readonly { readonly at?: number }[]).every(({ at }) => at !== undefined);
}

function certificateOf({ default_tls_container_ref: ref }: Readonly<Record<string, unknown>>): string {
  return typeof ref === 'string' ? ` ${ref.split('/').at(-1) ?? ''}` : '';
}

function withoutTimes(status: unknown): unknown {
  return JSON.parse(JSON.stringify(status ?? null), (key, value: unknown) =>
    key === 'lastTransitionTime' ? undefined : value,
  );
}
