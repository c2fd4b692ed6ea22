/** What the controllers before us leave behind for the Service default/web, in the words of their own requests. */
import type { Attributes, WireResource } from '../../shared/model/resources.ts';
import type { Cloud } from '../../shared/ports.ts';
import type { SandboxInside } from '../../infra/sandbox/sandbox.ts';

interface Made {
  readonly sandbox: Pick<SandboxInside, 'cloud' | 'kube' | 'clock'>;
  readonly world: { readonly cloud: Cloud };
}

const GO = 'kube_service_kubernetes_default_web';
const KINX = 'kube-service-kubernetes-default-web';
const NODE_PORT = 30_080;
const PORT = { name: 'http', port: 80, targetPort: 8080, nodePort: NODE_PORT };

function members(it: Made, nameOf: (node: string) => string): readonly Attributes[] {
  const subnet_id = subnetOf(it);
  return it.sandbox.kube.list('Node').map(({ metadata, status }) => {
    const addresses = status?.['addresses'] as readonly { readonly type: string; readonly address: string }[];
    const address = addresses.find(({ type }) => type === 'InternalIP')?.address;
    return { name: nameOf(metadata.name), address, protocol_port: NODE_PORT, subnet_id };
  });
}

function subnetOf({ sandbox }: Made): string {
  return sandbox.cloud.subnets.find(({ cidr }) => cidr.startsWith('10.'))?.id ?? '';
}

async function whenActive(it: Made, id: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const lb = await it.world.cloud.get('loadbalancer', id);
    if (lb?.['provisioning_status'] === 'ACTIVE') return;
    await it.sandbox.clock.pause(10);
  }
  throw new Error('the load balancer did not become ACTIVE');
}

/** One POST, a floating IP, and what OCCM writes to the Service (docs/sources/occm.md, "Create"). */
export async function makeAsGoProvider(it: Made): Promise<void> {
  const { cloud } = it.world;
  const monitor = { type: 'TCP', delay: 5, timeout: 3, max_retries: 1, max_retries_down: 3 };
  const pool = {
    name: `pool_0_${GO}`,
    protocol: 'TCP',
    lb_algorithm: 'ROUND_ROBIN',
    members: members(it, (node) => node),
    healthmonitor: { name: `monitor_0_${GO}`, ...monitor },
  };
  const listener = { name: `listener_0_${GO}`, protocol: 'TCP', protocol_port: 80, tags: [GO] };
  const lb = await cloud.create('loadbalancer', {
    name: GO,
    description: 'Kubernetes external service default/web from cluster kubernetes',
    provider: 'amphora',
    tags: [GO],
    vip_subnet_id: subnetOf(it),
    listeners: [{ ...listener, allowed_cidrs: ['0.0.0.0/0'], default_pool: pool }],
  });
  await whenActive(it, lb.id);
  const network = it.sandbox.cloud.networks.find((one) => one['router:external']);
  const ip = await cloud.create('floatingip', {
    floating_network_id: network?.id,
    port_id: lb['vip_port_id'],
    description: 'Floating IP for Kubernetes external service default/web from cluster kubernetes',
  });
  const annotations = {
    'loadbalancer.openstack.org/load-balancer-id': lb.id,
    'loadbalancer.openstack.org/load-balancer-address': String(ip['floating_ip_address']),
  };
  publish(it, String(ip['floating_ip_address']), annotations);
}

/** Call by call, without a tag; the address is the VIP (docs/sources/kinx.md, "Names of kinx"). */
export async function makeAsKinx(it: Made): Promise<void> {
  const { cloud } = it.world;
  const lb = await cloud.create('loadbalancer', {
    name: KINX,
    description: 'Kubernetes external service default/web from cluster kubernetes,lb_version:1.1',
    vip_subnet_id: subnetOf(it),
  });
  const make = async (
    kind: 'listener' | 'pool' | 'member' | 'healthmonitor',
    attributes: Attributes,
    parent?: string,
  ): Promise<WireResource> => {
    await whenActive(it, lb.id);
    return cloud.create(kind, attributes, parent);
  };
  const named = (kind: string): Attributes => ({ name: `${kind}-0-${KINX}` });
  const on = { loadbalancer_id: lb.id, protocol: 'TCP' };
  const listener = await make('listener', { ...named('listener'), ...on, protocol_port: 80 });
  const behind = { protocol: 'TCP', lb_algorithm: 'ROUND_ROBIN', listener_id: listener.id };
  const pool = await make('pool', { ...named('pool'), ...behind });
  for (const member of members(it, (node) => `member-0-${node}-${KINX}`))
    await make('member', member, pool.id);
  const monitor = { type: 'TCP', delay: 5, timeout: 5, max_retries: 3, pool_id: pool.id };
  await make('healthmonitor', { ...named('monitor'), ...monitor });
  await whenActive(it, lb.id);
  const backend = 'service.beta.kubernetes.io/kinx-load-balancer-backend-protocol';
  publish(it, String(lb['vip_address']), { [backend]: 'tcp' });
}

function publish({ sandbox }: Made, ip: string, annotations: Readonly<Record<string, string>>): void {
  const finalizers = ['service.kubernetes.io/load-balancer-cleanup'];
  sandbox.kube.apply({
    kind: 'Service',
    metadata: { name: 'web', namespace: 'default', annotations, finalizers },
    spec: { type: 'LoadBalancer', ports: [PORT], selector: { app: 'web' } },
    status: { loadBalancer: { ingress: [{ ip, ipMode: 'VIP' }] } },
  });
}
