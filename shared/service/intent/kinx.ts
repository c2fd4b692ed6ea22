/** What a Service that was written for kinx expects (providers.md, 2). */
import type { Config, LoadBalancerConfig } from '../../config/config.ts';

/** How its annotations begin. */
export const KINX = 'service.beta.kubernetes.io/kinx-load-balancer-';

/** Written by its successor for its own use, never a wish. */
export const KINX_LOAD_BALANCER_ID = `${KINX}id`;

export function isOfKinx(annotation: string): boolean {
  return annotation.startsWith(KINX) && annotation !== KINX_LOAD_BALANCER_ID;
}

/** Where kinx had other defaults than the Go provider (providers.md, 2.5): members are checked, and so often. */
const DEFAULTS: Partial<LoadBalancerConfig> = {
  createMonitor: true,
  monitorDelay: 5,
  monitorTimeout: 5,
  monitorMaxRetries: 3,
};

/** The configuration with what kinx takes where the same cloud.conf is silent. */
export function withKinxDefaults(config: Config): Config {
  const unset = Object.entries(DEFAULTS).filter(([option]) => config.given?.includes(option) !== true);
  return { ...config, loadBalancer: { ...config.loadBalancer, ...Object.fromEntries(unset) } };
}
