import type { Cidr } from '../../model/network/cidr.ts';
import type { ControllerName } from '../controllers.ts';
import { booleanFlag, type Flags } from './flags.ts';
import type { RouteConfig } from '../node-config.ts';

interface Said {
  readonly flags: Pick<Flags, 'configureCloudRoutes' | 'clusterCidr' | 'discoverRouter'>;
  readonly routerId: string | undefined;
  readonly clusterCidrs: readonly Cidr[];
  readonly controllers: readonly ControllerName[];
}

/**
 * Routes are on where a router is named, or to be discovered, and a cluster CIDR is named, and neither `--controllers` nor `--configure-cloud-routes` turns them off.
 * Who seems to want them and does not get them is told.
 */
export function routeConfig(
  { flags, routerId, clusterCidrs, controllers }: Said,
  problems: string[],
  warnings: string[],
): { readonly route?: RouteConfig } {
  const asked = booleanFlag('configure-cloud-routes', flags.configureCloudRoutes, true, problems);
  const discovers = booleanFlag('discover-router', flags.discoverRouter, false, problems);
  if (!asked || !controllers.includes('node-route-controller')) return {};
  if (discovers && routerId !== undefined)
    warnings.push('--discover-router has no effect: [Route] router-id names a router');
  if (routerId === undefined && !discovers) {
    if (flags.configureCloudRoutes !== undefined)
      warnings.push('--configure-cloud-routes has no effect: [Route] router-id names no router');
    return {};
  }
  if (clusterCidrs.length > 0) return { route: routerId === undefined ? {} : { routerId } };
  const asks = routerId === undefined ? '--discover-router' : '[Route] router-id';
  if ((flags.clusterCidr ?? '') === '')
    warnings.push(`${asks} has no effect without --cluster-cidr: no route is made or deleted`);
  return {};
}
