import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import type { Log } from '../ports.ts';
import type { Connection } from './connection/connection.ts';
import { createKubeHttp, type KubeCall } from './kube-http.ts';
import type { LeaderLease } from './leader-lease.ts';

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
      const { labelLeader } = await import('./leader-label.ts');
      await labelLeader(createKubeHttp(connection, onCall), { namespace: of, name }, leads, log);
    },
  };
}
