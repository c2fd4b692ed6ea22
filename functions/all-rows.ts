import type { Config } from '../shared/config/config.ts';
import type { Node, Service } from '../shared/model/kubernetes.ts';
import type { Key } from '../shared/model/request.ts';
import type { World } from '../shared/ports.ts';
import type { StatusRow } from '../shared/report/page.ts';
import { looksAfterNodes } from '../shared/config/controllers.ts';
import { nodeRows, routesRow } from './node-rows.ts';
import { statusRows, type LastReport } from './status-rows.ts';

export interface Listed {
  readonly services: readonly Service[];
  /** None where they are not looked after. */
  readonly nodes: readonly Node[];
}

export async function listObjects({ kube, config }: World): Promise<Listed> {
  const [services, nodes] = await Promise.all([
    kube.listServices(),
    looksAfterNodes(config) ? kube.listNodes() : [],
  ]);
  return { services, nodes };
}

/** What the status page shows: every Service, and of the rest what is not settled. */
export function allRows(
  { services, nodes }: Listed,
  config: Pick<Config, 'loadBalancerClass'>,
  reports: ReadonlyMap<Key, LastReport>,
): readonly StatusRow[] {
  return [...statusRows(services, config, reports), ...nodeRows(nodes, reports), ...routesRow(reports)];
}
