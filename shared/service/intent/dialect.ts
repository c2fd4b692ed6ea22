/** What is desired otherwise when another controller made the load balancer. */
import type { Config } from '../../config/config.ts';
import { withoutDescription } from './description.ts';
import { withKinxDefaults } from './kinx.ts';
import { readIntent } from './service-intent.ts';
import type { ServiceIntent } from './service-intent.ts';
import type { Service } from '../../model/kubernetes.ts';
import { dialectOf } from '../../model/load-balancer/other-controllers.ts';
import type { WireResource } from '../../model/resources.ts';

/** The configuration as kinx would have read the same cloud.conf. It made no floating IPs: its address is the VIP. */
function asKinx(config: Config): Config {
  const own = withKinxDefaults(config);
  return { ...own, loadBalancer: { ...own.loadBalancer, internalLb: true } };
}

/**
 * What can be asked of a load balancer that is there hangs on its own provider, which never changes; the one in cloud.conf
 * is for those that are yet to be made.
 */
export function ofProvider(config: Config, provider: unknown): Config {
  if (typeof provider !== 'string') return config;
  return { ...config, loadBalancer: { ...config.loadBalancer, lbProvider: provider } };
}

/** The wishes as the one who made the load balancer would have read them: its defaults, its kind of address. */
export function asDialect(
  service: Service | undefined,
  loadBalancer: WireResource | undefined,
  config: Config,
): { readonly config: Config; readonly intent?: ServiceIntent } {
  const isKinx = loadBalancer !== undefined && dialectOf(loadBalancer) === 'kinx';
  const own = ofProvider(isKinx ? asKinx(config) : config, loadBalancer?.['provider']);
  if (!service) return { config: own };
  const intent = readIntent(service, own);
  return { config: own, intent: isKinx ? withoutDescription(intent) : intent };
}
