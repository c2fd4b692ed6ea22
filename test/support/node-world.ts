import type { Sandbox, SandboxOptions } from '../../infra/sandbox/sandbox.ts';
import { CONTROLLER_NAMES, type Config } from '../../shared/config/config.ts';
import type { Node } from '../../shared/model/kubernetes.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../shared/model/request.ts';
import type { World } from '../../shared/ports.ts';
import { aConfig } from './config.ts';
import type { JoinedNode } from './nodes.ts';
import { run, startSandboxWorld, type SandboxWorld } from './sandbox-world.ts';
import { callsSince } from './told.ts';

export interface NodeWorld extends SandboxWorld {
  /** One run, by default for an event. */
  reconcile(name: string, request?: Partial<ReconcileRequest>, by?: World): Promise<Report>;
  node(name: string): Node;
  isThere(name: string): boolean;
  /** Of a Node that is initialised, as its providerID says. */
  server(name: string): JoinedNode['server'];
  /** Its server is gone, and so its kubelet is silent. */
  loseServer(name: string): void;
  /** Reasons of the Events at a Node, in any order. */
  events(name: string): readonly string[];
  /** Requests to OpenStack since the last time. */
  calls(): readonly string[];
}

/** A cluster without Nodes yet, with the Node controllers on. */
export async function startNodeWorld(
  config: (base: Config) => Partial<Config> = () => ({}),
  options: SandboxOptions = {},
): Promise<NodeWorld> {
  const bare = await startSandboxWorld({ nodes: 0, ...options });
  const base: Config = { ...aConfig(bare.sandbox.authUrl), controllers: CONTROLLER_NAMES };
  const world = await bare.another({ ...base, ...config(base) });
  const { cloud, kube } = bare.sandbox;
  const node = (name: string): Node => kube.get('Node', undefined, name) as unknown as Node;
  const server: NodeWorld['server'] = (name) => {
    const found = cloud.servers.find(({ id }) => node(name).spec?.providerID?.endsWith(`/${id}`));
    if (!found) throw new Error(`Node ${name} has no server`);
    return found;
  };
  return {
    ...bare,
    world,
    sweepUntilSettled: (by = world) => bare.sweepUntilSettled(by),
    reconcile: (name, request = {}, by = world) =>
      run({ key: `node/${name}`, trigger: 'audit', ...request }, by),
    node,
    isThere: (name) => kube.get('Node', undefined, name) !== undefined,
    server,
    loseServer: (name) => {
      cloud.removeNovaServer(server(name).id);
      kube.setReady(name, false);
    },
    events: (name) => eventsOf(bare.sandbox, name),
    calls: callsSince(bare.sandbox, bare.sandbox.requests.length),
    later: (ms) => ({ ...world, clock: { now: () => Date.now() + ms } }),
  };
}

function eventsOf({ kube }: Sandbox, name: string): readonly string[] {
  return kube
    .list('Event', 'default')
    .filter((event) => (event['involvedObject'] as { name?: string }).name === name)
    .map((event) => String(event['reason']));
}
