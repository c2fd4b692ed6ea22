/** Several clusters, each with a cloud of its own, in a process of their own. */
import { setTimeout as pause } from 'node:timers/promises';
import { startSandbox } from '../../../infra/sandbox/sandbox.ts';
import type { Texts } from '../../../shared/clusters/entry.ts';
import { cloudConfFor, kubeconfigFor } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { answerParent } from './own-process.ts';

const ROOM = { cidrs: { public: '203.0.0.0/16', private: '10.0.0.0/16' } };

const sandboxes: Awaited<ReturnType<typeof startSandbox>>[] = [];

const handlers = {
  /** So many clusters with so many Services each, and how each is connected with. */
  async start({ clusters, services }: { readonly clusters: number; readonly services: number }) {
    const texts: Texts[] = [];
    for (let at = 0; at < clusters; at += 1) {
      const sandbox = await startSandbox({ pendingMs: 5, ...ROOM });
      for (let i = 0; i < services; i += 1) sandbox.kube.apply(aService({ name: `s${i}` }));
      sandboxes.push(sandbox);
      texts.push({ kubeconfig: kubeconfigFor(sandbox), 'cloud.conf': cloudConfFor(sandbox.authUrl) });
    }
    return texts;
  },
  /** Every call of OpenStack takes so much longer from now on. */
  slow(ms: number) {
    const before = (): Promise<void> => pause(ms);
    for (const sandbox of sandboxes)
      sandbox.fault({ match: { side: 'openstack' }, kind: 'call', times: Infinity, before });
  },
};

export type ClustersHandlers = typeof handlers;

answerParent(handlers);
