import type { Sandbox } from '../../infra/sandbox/sandbox.ts';

type ServerWish = NonNullable<Parameters<Sandbox['cloud']['addNovaServer']>[1]>;
type Registration = NonNullable<Parameters<Sandbox['kube']['registerNode']>[1]>;

export type JoinedNode = ReturnType<typeof joinNode>;

/**
 * A machine that has just come: a server with its ports, and the Node its kubelet registered, which waits for a cloud
 * controller.
 */
export function joinNode(
  { cloud, kube }: Pick<Sandbox, 'cloud' | 'kube'>,
  name: string,
  wish: ServerWish = {},
  registration: Registration = {},
) {
  const server = cloud.addNovaServer(name, wish);
  const node = kube.registerNode(name, { systemUUID: server.id, ...registration });
  return { name, server, node };
}

/** `joinNodes(sandbox, 10)` makes worker-1 to worker-10. */
export function joinNodes(sandbox: Pick<Sandbox, 'cloud' | 'kube'>, count: number): readonly JoinedNode[] {
  return Array.from({ length: count }, (_, at) => joinNode(sandbox, `worker-${at + 1}`));
}

/** Its server is gone, and so its kubelet is silent. */
export function loseServer({ cloud, kube }: Pick<Sandbox, 'cloud' | 'kube'>, name: string): void {
  const lost = cloud.servers.find((one) => one.name === name);
  if (lost) cloud.removeNovaServer(lost.id);
  kube.setReady(name, false);
}

/** The podCIDR 10.244.`at`.0/24. */
export function giveCidr({ kube }: Pick<Sandbox, 'kube'>, name: string, at: number): void {
  const podCIDR = `10.244.${at}.0/24`;
  kube.apply({ kind: 'Node', metadata: { name }, spec: { podCIDR, podCIDRs: [podCIDR] } });
}
