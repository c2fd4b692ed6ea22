import type { Node } from '../model/kubernetes.ts';
import type { Lifetime } from './answers.ts';
import type { Memory } from './memory.ts';

interface Reading {
  readonly kube: { listNodes(): Promise<readonly Node[]> };
  readonly memory: Pick<Memory, 'answers'>;
  readonly clock: Lifetime['clock'];
}

const NODES = 'Nodes';

/** So long one list of Nodes serves all runs of a process. */
const KEEP_MS = 1_000;

/** The Nodes, listed at most once a second for all runs of a process. A change of a Node queues a sweep, which lists anew. */
export function listNodesLately({ kube, memory, clock }: Reading): Promise<readonly Node[]> {
  return memory.answers.read(NODES, { keepMs: KEEP_MS, clock }, () => kube.listNodes());
}

/** The Nodes as they are now, for a sweep and for the runs after it. */
export function listNodesNow(world: Reading): Promise<readonly Node[]> {
  forgetNodes(world);
  return listNodesLately(world);
}

/** The Nodes as they are now. Those who ask while a list is on its way share it, such as many Nodes that join at once. */
export function listNodesTogether({ kube, memory, clock }: Reading): Promise<readonly Node[]> {
  return memory.answers.read('Nodes, now', { keepMs: 0, clock }, () => kube.listNodes());
}

/** The next list is a new one. */
export function forgetNodes({ memory }: Pick<Reading, 'memory'>): void {
  memory.answers.forget(NODES);
}
