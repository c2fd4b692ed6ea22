import type { Service } from '../../../model/kubernetes.ts';
import type { Problem } from '../../../model/plan.ts';
import type { ListenerProtocol, Pool } from '../../../model/resources.ts';
import { readsHttp } from '../../intent/protocols.ts';
import type { PortIntent } from '../../intent/read-annotations.ts';

interface Persistence {
  readonly attributes: Pick<Pool, 'session_persistence'>;
  readonly problems: readonly Problem[];
}

/**
 * How a client stays on a member: as is asked for, else as spec.sessionAffinity says. Cookies are of HTTP: for UDP and SCTP
 * Octavia refuses them, and haproxy passes a stream on without a look into it.
 */
export function desirePersistence(
  listener: ListenerProtocol,
  at: string,
  { spec }: Pick<Service, 'spec'>,
  { pool, spelled }: PortIntent,
): Persistence {
  const affinity = spec.sessionAffinity === 'ClientIP' ? { type: 'SOURCE_IP' } : null;
  const { session_persistence: asked = affinity } = pool;
  const isCookie = String(asked?.type).endsWith('_COOKIE');
  if (!isCookie || readsHttp(listener)) return { attributes: { session_persistence: asked }, problems: [] };
  const { name = 'session_persistence', text = '' } = spelled['pool.session_persistence'] ?? {};
  const message = `is not applied to ${at}: a cookie needs a port that speaks HTTP, and this one is ${listener}`;
  return {
    attributes: { session_persistence: affinity },
    problems: [{ field: name, value: text, message }],
  };
}
