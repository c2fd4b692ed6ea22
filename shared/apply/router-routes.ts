import type { UpdateStep } from '../model/plan.ts';
import type { Attributes, WireResource } from '../model/resources.ts';
import { textOfRoute } from '../model/network/routes.ts';
import type { Route } from '../model/network/routes.ts';
import type { Cloud } from '../ports.ts';

/** The extension with which Neutron changes single routes, whatever others change at the same time. */
const ATOMIC = 'extraroute-atomic';

/**
 * Removes routes from a router with one call and then adds routes with another. A route that moves must not be there
 * twice, and removed routes make room. Without the extension the whole list is written under the revision that was
 * read.
 */
export async function changeRouter(
  { id, changes }: UpdateStep,
  observed: WireResource | undefined,
  cloud: Cloud,
): Promise<WireResource> {
  const [change] = changes;
  const [from, to] = [routesIn(change?.from), routesIn(change?.to)];
  const [leaving, coming] = [without(from, to), without(to, from)];
  if (!(await cloud.networkExtensions()).has(ATOMIC)) {
    const attributes: Attributes = { routes: to };
    return cloud.updateAt('router', id, attributes, Number(observed?.['revision_number'] ?? 0));
  }
  const left = leaving.length > 0 ? await cloud.removeRoutes(id, leaving) : undefined;
  return coming.length > 0 || !left ? cloud.addRoutes(id, coming) : left;
}

function routesIn(value: unknown): readonly Route[] {
  return (value ?? []) as readonly Route[];
}

/** The routes that the other list does not have. Two spellings of one route count as two. */
function without(routes: readonly Route[], others: readonly Route[]): readonly Route[] {
  const texts = new Set(others.map(textOfRoute));
  return routes.filter((route) => !texts.has(textOfRoute(route)));
}
