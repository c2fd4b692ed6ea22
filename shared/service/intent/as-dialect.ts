import type { Config } from '../../config/config.ts';
import { withKinxDefaults } from './service-config.ts';
import { readIntent } from './service-intent.ts';
import type { ServiceIntent } from './service-intent.ts';
import type { Service } from '../../model/kubernetes.ts';
import { dialectOf } from '../../model/load-balancer/other-controllers.ts';
import type { WireResource } from '../../model/resources.ts';

/** The intent for a load balancer that another controller made. */

/** The configuration with kinx's defaults. kinx made no floating IPs: the address is the VIP. */
function asKinx(config: Config): Config {
  const own = withKinxDefaults(config);
  return { ...own, loadBalancer: { ...own.loadBalancer, internalLb: true } };
}

/**
 * The configuration with the provider of a load balancer that exists, which never changes. The provider in cloud.conf is
 * for new load balancers.
 */
function ofProvider(config: Config, provider: unknown): Config {
  if (typeof provider !== 'string') return config;
  return { ...config, loadBalancer: { ...config.loadBalancer, lbProvider: provider } };
}

/** What a Service asks for, read for its load balancer. */
export interface Reading {
  /** Undefined when the Service is gone. */
  readonly intent?: ServiceIntent;
  /** The configuration as the one who made the load balancer would have read it: its defaults, its kind of address. */
  readonly config: Config;
  /** The same for a load balancer that takes its place: the provider is that of cloud.conf. */
  readonly asNew: Config;
  /** Hashes of changes that may be made, sorted. */
  readonly approved: readonly string[];
}

/** The intent with the defaults and the kind of address of the controller that made the load balancer. */
export function readAsDialect(
  service: Service | undefined,
  loadBalancer: WireResource | undefined,
  config: Config,
): Reading {
  const isKinx = loadBalancer !== undefined && dialectOf(loadBalancer) === 'kinx';
  const own = ofProvider(isKinx ? asKinx(config) : config, loadBalancer?.['provider']);
  const configs = { config: own, asNew: ofProvider(own, config.loadBalancer.lbProvider) };
  if (!service) return { ...configs, approved: [] };
  const intent = readIntent(service, own);
  const approved = [...(intent.annotated.Service.approved ?? [])].sort();
  return { ...configs, intent: isKinx ? withoutDescription(intent) : intent, approved };
}

const FIELD = 'levelset.openstack.org/description';

/** The intent without a description: kinx's driver reads in it how the load balancer behaves (decision 5). */
export function withoutDescription(intent: ServiceIntent): ServiceIntent {
  const { description, ...Service } = intent.annotated.Service;
  if (description === undefined) return intent;
  const message = 'is ignored: kinx made the load balancer, and its driver reads the description';
  return {
    ...intent,
    annotated: { ...intent.annotated, Service },
    problems: [...intent.problems, { field: FIELD, value: description, message }],
  };
}
