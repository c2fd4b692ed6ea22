import { errorText } from '../model/errors.ts';
import type { Log } from '../ports.ts';
import type { KubeHttp } from './kube-http.ts';
import { corePath, listAllObjects } from './kube-objects.ts';

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
