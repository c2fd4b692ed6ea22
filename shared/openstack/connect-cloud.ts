import type { OpenStackConfig } from '../config/config.ts';
import type { CallRecorder, Cloud } from '../ports.ts';
import { createCallRecorder } from './calls.ts';
import { createCloud } from './cloud.ts';
import { createHttp, type Observer, type Transport } from './openstack-http.ts';
import { createKeystone } from './identity/keystone.ts';
import { createSession } from './identity/session.ts';

export interface Connection {
  readonly cloud: Cloud;
  readonly calls: CallRecorder;
  /** Resolves when there is a token and the catalog has Octavia and Neutron; otherwise throws a ReconcileError. */
  readonly ready: () => Promise<void>;
}

/** OpenStack for one process: one HTTP client and one token. Sends nothing by itself; `observe` sees every attempt. */
export function connectCloud(
  config: OpenStackConfig,
  options: { observe?: Observer; transport?: Transport } = {},
): Connection {
  const { recorder, note } = createCallRecorder();
  const observe: Observer = (call) => {
    note(call);
    options.observe?.(call);
  };
  const http = createHttp(config, observe, options.transport);
  const session = createSession(config, createKeystone(config, http), http);
  return {
    cloud: createCloud(session),
    calls: recorder,
    async ready() {
      await session.requireService('load-balancer');
      await session.requireService('network');
    },
  };
}
