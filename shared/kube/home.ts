import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import type { Log } from '../ports.ts';
import type { Connection } from './connection/connection.ts';
import { createKubeHttp, type KubeCall, type KubeHttp } from './kube-http.ts';
import type { LeaderLease } from './leader-lease.ts';
import { errorText } from '../model/errors.ts';
import { corePath, listAllObjects } from './kube-objects.ts';

interface HomeOptions {
  readonly connection: Connection;
  readonly namespace: string;
  readonly env: NodeJS.ProcessEnv;
  readonly log: Log;
  readonly onCall?: (call: KubeCall) => void;
}

/** Where the processes of one deployment meet: one of them leads, by the Lease `levelset`. */
export interface Home {
  lease(changed: (leads: boolean) => void): Promise<LeaderLease>;
  /** Gives the Pod of this process the label by which the Service finds the one that leads, or takes it. Nothing outside of a Pod. Never rejects. */
  labelPod(leads: boolean): Promise<void>;
}

/** Its requests have sockets of their own, and nothing guards them. */
export function homeOf({ connection, namespace, env, log, onCall }: HomeOptions): Home {
  const identity = `levelset_${hostname()}_${randomUUID()}`;
  return {
    lease: async (changed) => {
      const { LeaderLease: Leader } = await import('./leader-lease.ts');
      const http = createKubeHttp(connection, onCall);
      return new Leader({ http, namespace, name: 'levelset', identity, log, changed });
    },
    labelPod: async (leads) => {
      const { POD_NAMESPACE: of, POD_NAME: name } = env;
      if (of === undefined || name === undefined) return;
      await labelLeader(createKubeHttp(connection, onCall), { namespace: of, name }, leads, log);
    },
  };
}

/** The Service of a deployment selects it: so requests reach the process that leads. */
export const LEADER_LABEL = 'levelset.openstack.org/leader';

interface OwnPod {
  readonly namespace: string;
  readonly name: string;
}

/** The leader's Pod gets the label and every other one loses it; a Pod that does not lead loses its own. Never rejects. */
export async function labelLeader(http: KubeHttp, pod: OwnPod, leads: boolean, log: Log): Promise<void> {
  const set = (name: string, value: string | null): Promise<unknown> =>
    http({
      method: 'PATCH',
      path: corePath('pods', pod.namespace, name),
      body: { metadata: { labels: { [LEADER_LABEL]: value } } },
      doing: `label Pod ${pod.namespace}/${name}`,
      expected: [404],
    });
  try {
    const labelled = {
      kind: 'Pod' as const,
      path: corePath('pods', pod.namespace),
      query: { labelSelector: `${LEADER_LABEL}=true` },
      doing: `list the Pods of ${pod.namespace} that lead`,
    };
    const others = (leads ? await listAllObjects(http, labelled) : []).map(({ metadata }) => metadata.name);
    await Promise.all(others.filter((name) => name !== pod.name).map((name) => set(name, null)));
    await set(pod.name, leads ? 'true' : null);
  } catch (error) {
    log.warn(
      'the Service may reach a process that does not lead: its Pod has no label, or another one has it',
      {
        reason: errorText(error),
      },
    );
  }
}
