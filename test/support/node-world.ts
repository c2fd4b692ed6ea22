import type { SandboxOptions } from '../../infra/sandbox/sandbox.ts';
import { CONTROLLER_NAMES, type Config } from '../../shared/config/config.ts';
import type { Node } from '../../shared/model/kubernetes.ts';
import type { Report } from '../../shared/model/outcome.ts';
import type { ReconcileRequest } from '../../shared/model/request.ts';
import { aConfig } from './config.ts';
import { loseServer, type JoinedNode } from './nodes.ts';
import { run, startSandboxWorld } from './sandbox-world.ts';
import { callsSince, eventsAt } from './told.ts';

export type NodeWorld = Awaited<ReturnType<typeof startNodeWorld>>;

/** A cluster without Nodes yet, with the Node controllers on. */
export async function startNodeWorld(
  config: (base: Config) => Partial<Config> = () => ({}),
  options: SandboxOptions = {},
) {
  const bare = await startSandboxWorld({ nodes: 0, ...options });
  const { cloud, kube, sandbox } = bare;
  const base: Config = { ...aConfig(sandbox.authUrl), controllers: CONTROLLER_NAMES };
  const world = await bare.another({ ...base, ...config(base) });
  const node = (name: string): Node => kube.get('Node', undefined, name) as unknown as Node;
  /** Of a Node that is initialised, as its providerID says. */
  const server = (name: string): JoinedNode['server'] => {
    const found = cloud.servers.find(({ id }) => node(name).spec?.providerID?.endsWith(`/${id}`));
    if (!found) throw new Error(`Node ${name} has no server`);
    return found;
  };
  return {
    ...bare,
    ...{ world, node, server },
    another: (other: Partial<Config> = {}) => bare.another({ ...world.config, ...other }),
    sweepUntilSettled: (by = world) => bare.sweepUntilSettled(by),
    /** One run, by default for an event. */
    reconcile: (name: string, request: Partial<ReconcileRequest> = {}, by = world): Promise<Report> =>
      run({ key: `node/${name}`, trigger: 'audit', ...request }, by),
    isThere: (name: string) => kube.get('Node', undefined, name) !== undefined,
    loseServer: (name: string): void => {
      loseServer(sandbox, name);
    },
    /** Reasons of the Events at a Node, in any order. */
    events: (name: string) => eventsAt(sandbox, name).map(({ reason }) => String(reason)),
    /** Requests to OpenStack since the last time. */
    calls: callsSince(sandbox, sandbox.requests.length),
    later: (ms: number) => ({ ...world, clock: { now: () => Date.now() + ms } }),
  };
}
