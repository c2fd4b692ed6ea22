import type { Config } from './config.ts';

export function looksAfterServices({ controllers, loadBalancer }: Config): boolean {
  return loadBalancer.enabled && controllers.includes('service-lb-controller');
}

export function looksAfterNodes({ controllers, nodeCidrs }: Config): boolean {
  return (
    nodeCidrs !== undefined ||
    controllers.includes('cloud-node-controller') ||
    controllers.includes('cloud-node-lifecycle-controller')
  );
}

export function looksAfterRoutes({ controllers, route }: Config): boolean {
  return route !== undefined && controllers.includes('node-route-controller');
}
