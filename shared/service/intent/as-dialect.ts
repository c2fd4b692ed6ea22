import type { Config } from '../../config/config.ts';
import { withKinxDefaults } from './service-config.ts';
import { readIntent } from './service-intent.ts';
import type { ServiceIntent } from './service-intent.ts';
import type { Service } from '../../model/kubernetes.ts';
import { dialectOf } from '../../model/load-balancer/other-controllers.ts';
import type { WireResource } from '../../model/resources.ts';

/** What is desired otherwise when another controller made the load balancer. */

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

const FIELD = 'levelset.openstack.org/description';

/** On what kinx made the description stays: its driver reads there how the load balancer is to behave (decision 5). */
export function withoutDescription(intent: ServiceIntent): ServiceIntent {
  const { description, ...Service } = intent.annotated.Service;
  if (description === undefined) return intent;
  const message = 'is not applied: kinx made the load balancer, and its driver reads the description';
  return {
    ...intent,
    annotated: { ...intent.annotated, Service },
    problems: [...intent.problems, { field: FIELD, value: description, message }],
  };
}
