import type { Problem } from '../../../model/plan.ts';
import type { Pool } from '../../../model/resources.ts';
import { resolve } from './certificates.ts';
import type { PortIntent } from '../../intent/read-annotations.ts';
import type { TlsContext } from './tls.ts';

const TLS = ['tls_enabled', 'tls_versions', 'tls_ciphers'];

/** What is asked for a pool, without what only counts where its members are spoken to by TLS. */
export function withoutPoolTls(portIntent: Partial<Pool>): Partial<Pool> {
  return Object.fromEntries(Object.entries(portIntent).filter(([name]) => !TLS.includes(name)));
}

/** TLS to the members of a pool, once more or for the first time (decision 16): only where it is asked for. */
export function desirePoolTls(
  portIntent: PortIntent,
  { store, certificates }: TlsContext,
): { readonly attributes: Partial<Pool>; readonly problems: readonly Problem[] } {
  if (portIntent.pool.tls_enabled !== true) return { attributes: {}, problems: useless(portIntent) };
  const ca = resolve('poolCa', portIntent, store, certificates);
  const own = resolve('poolCertificate', portIntent, store, certificates);
  const settings = Object.entries(portIntent.pool).filter(([name]) => TLS.includes(name));
  return {
    attributes: {
      ...(Object.fromEntries(settings) as Partial<Pool>),
      ...(ca.refs[0] === undefined ? {} : { ca_tls_container_ref: ca.refs[0] }),
      ...(own.refs[0] === undefined ? {} : { tls_container_ref: own.refs[0] }),
    },
    problems: [...ca.problems, ...own.problems],
  };
}

/** How TLS is spoken to members is asked for, but not that it is: somebody may believe that it were. */
function useless({ spelled }: PortIntent): readonly Problem[] {
  const settings = [
    'pool.tls_versions',
    'pool.tls_ciphers',
    'ServicePort.poolCa',
    'ServicePort.poolCertificate',
  ];
  const message = 'is not applied: it needs levelset.openstack.org/pool-tls with the value true';
  return settings.flatMap((what) => {
    const { name, text } = spelled[what] ?? {};
    return name === undefined || text === undefined ? [] : [{ field: name, value: text, message }];
  });
}
