/** The simulators in a process of their own. */
import { createHash } from 'node:crypto';
import type { RecordedRequest, Sandbox } from '../../../infra/sandbox/sandbox.ts';
import { startSandbox } from '../../../infra/sandbox/sandbox.ts';
import { kubeconfigFor } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { answerParent, usage } from './own-process.ts';
import type { Usage } from './own-process.ts';

export interface WorldSize {
  readonly nodes: number;
  /** Into so many groups the Nodes are split by their label `group`. 0: no Service selects Nodes. */
  readonly groups: number;
}

export interface ServicesWanted extends WorldSize {
  readonly count: number;
  readonly ports: number;
}

/** Requests since the last time. */
export interface Requests {
  readonly kube: number;
  /** Without logins and without pages after the first of a list. */
  readonly openstack: number;
  readonly pages: number;
  readonly writes: number;
  /** By method and path, with `ID` for ids. */
  readonly byPath: Readonly<Record<string, number>>;
}

const ROOM = { cidrs: { public: '203.0.0.0/16', private: '10.0.0.0/16' } };

let sandbox: Sandbox | undefined;
let counted: { -readonly [K in keyof Requests]: Requests[K] } = none();
const byPath = new Map<string, number>();

const handlers = {
  async start({ nodes, groups }: WorldSize) {
    sandbox = await startSandbox({ ...ROOM, nodes, pendingMs: 2 });
    Object.assign(sandbox.cloud.quotas, { port: -1, floatingip: -1 });
    if (groups > 0)
      for (let at = 0; at < nodes; at += 1) {
        const labels = { group: `group-${at % groups}` };
        sandbox.kube.apply({ kind: 'Node', metadata: { name: `node-${at + 1}`, labels } });
      }
    // records of thousands of requests, with their bodies, would be most of the memory
    setInterval(count, 200).unref();
    return { kubeconfig: kubeconfigFor(sandbox), authUrl: sandbox.authUrl };
  },
  addServices({ count: services, groups, ports }: ServicesWanted) {
    for (let at = 0; at < services; at += 1) {
      const annotations =
        groups > 0 ? { 'loadbalancer.openstack.org/node-selector': `group=group-${at % groups}` } : undefined;
      const spec = {
        ports: Array.from({ length: ports }, (_, port) => ({
          ...{ name: `port-${port}`, port: 80 + port, targetPort: 8080 + port },
        })),
      };
      world().kube.apply(aService({ name: nameAt(at), spec, ...(annotations && { annotations }) }));
    }
    return Array.from({ length: services }, (_, at) => nameAt(at));
  },
  /** The watermarks are lost. */
  forget() {
    const { kube } = world();
    const names = kube.list('ConfigMap', 'levelset').map(({ metadata }) => metadata.name);
    for (const name of names.filter((one) => one.startsWith('levelset-state')))
      kube.delete('ConfigMap', 'levelset', name);
    return names.length;
  },
  /** How many of each there are in the cloud. */
  contents() {
    const { loadbalancers, listeners, pools, members, floatingips, ports } = world().cloud;
    const lengths = Object.entries({ loadbalancers, listeners, pools, members, floatingips, ports });
    return Object.fromEntries(lengths.map(([name, { length }]) => [name, length]));
  },
  requests(): Requests {
    count();
    const found = { ...counted, byPath: Object.fromEntries(byPath) };
    counted = none();
    byPath.clear();
    return found;
  },
  usage: (): Usage => usage(),
};

export type SandboxHandlers = typeof handlers;

function world(): Sandbox {
  if (!sandbox) throw new Error('not started');
  return sandbox;
}

/** Names whose order is not that of their making. */
function nameAt(at: number): string {
  return `svc-${createHash('sha256').update(String(at)).digest('hex').slice(0, 10)}`;
}

function none(): typeof counted {
  return { kube: 0, openstack: 0, pages: 0, writes: 0, byPath: {} };
}

function count(): void {
  const requests = (sandbox?.requests ?? []) as RecordedRequest[];
  for (const { side, service, path, write, method } of requests.splice(0)) {
    const isPage = path.includes('marker=') || path.includes('continue=');
    if (side === 'kube') counted.kube += 1;
    else if (service === 'keystone') continue;
    else if (isPage) counted.pages += 1;
    else counted.openstack += 1;
    if (write) counted.writes += 1;
    const plain = path.replace(/\?.*/, '').replace(/[0-9a-f]{8}-[0-9a-f-]{27}|svc-[0-9a-f]{10}/g, 'ID');
    const key = `${method} ${plain}`;
    byPath.set(key, (byPath.get(key) ?? 0) + 1);
  }
}

answerParent(handlers);
