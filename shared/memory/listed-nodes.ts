import type { Node } from '../model/kubernetes.ts';
import { serversOf } from '../model/node/judged-nodes.ts';
import type { Lifetime } from './answers.ts';
import type { Memory } from './memory.ts';

interface Reading {
  readonly kube: { listNodes(): Promise<readonly Node[]> };
  readonly memory: Pick<Memory, 'answers' | 'nodesKeptMs' | 'projectServers'>;
  readonly clock: Lifetime['clock'];
}

const NODES = 'Nodes';

/** The Nodes, listed at most once in `nodesKeptMs` for all runs of a process. */
export function listNodesLately(reading: Reading): Promise<readonly Node[]> {
  const { memory, clock } = reading;
  return memory.answers.read(NODES, { keepMs: memory.nodesKeptMs, clock }, () => list(reading));
}

/** The Nodes as they are now, for a sweep and for the runs after it. */
export function listNodesNow(world: Reading): Promise<readonly Node[]> {
  forgetNodes(world);
  return listNodesLately(world);
}

/** The Nodes as they are now. Those who ask while a list is on its way share it, such as many Nodes that join at once. */
export function listNodesTogether(reading: Reading): Promise<readonly Node[]> {
  const { memory, clock } = reading;
  return memory.answers.read('Nodes, now', { keepMs: 0, clock }, () => list(reading));
}

async function list({ kube, memory }: Reading): Promise<readonly Node[]> {
  const nodes = await kube.listNodes();
  memory.projectServers?.claim(serversOf(nodes));
  return nodes;
}

export function forgetNodes({ memory }: { readonly memory: Pick<Memory, 'answers'> }): void {
  memory.answers.forget(NODES);
}
