/** The same of routes to the pods of Nodes, with and without the extension by which Neutron changes single routes. */
import { pause } from '../support/sandbox-world.ts';
import { startRouteWorld } from '../support/route-world.ts';
import { requestsOf } from './counted-calls.ts';
import type { Row } from './counted-calls.ts';

const ATOMIC = 'extraroute-atomic';

/** For so many Nodes, of at most 200. */
export async function routeRows(nodes: number): Promise<readonly Row[]> {
  return [...(await rowsOf(nodes, true)), ...(await rowsOf(nodes, false))];
}

async function rowsOf(nodes: number, atomic: boolean): Promise<readonly Row[]> {
  const it = await startRouteWorld();
  const { cloud } = it.sandbox;
  cloud.maxRoutes = 2 * nodes;
  if (!atomic) cloud.extensions.splice(cloud.extensions.indexOf(ATOMIC), 1);
  const [each, note] = atomic ? [3, ''] : [4, `, no ${ATOMIC}`];
  const settle = async (): Promise<void> => {
    while ((await it.reconcile()).outcome.status !== 'settled') await pause(10);
  };
  try {
    for (let at = 1; at <= nodes; at += 1) it.addNode(at);
    const made = await requestsOf(it.sandbox, settle);
    const settled = await requestsOf(it.sandbox, settle);
    it.addNode(nodes + 1);
    const joined = await requestsOf(it.sandbox, settle);
    if (it.routes().length !== nodes + 1) throw new Error(`${it.routes().length} routes`);
    return [
      {
        work: `routes of ${nodes} from nothing${note}`,
        requests: made,
        formula: `2 + ${nodes} x ${each}`,
        value: 2 + nodes * each,
      },
      { work: `routes of ${nodes} settled${note}`, requests: settled, formula: '2 (every 10 s)', value: 2 },
      { work: `one Node joins ${nodes}${note}`, requests: joined, formula: `2 + ${each}`, value: 2 + each },
    ];
  } finally {
    await it.close();
  }
}
