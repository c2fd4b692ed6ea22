import type { Problem } from '../model/plan.ts';
import type { Listener } from '../model/resources.ts';
import { readsHttp } from './protocols.ts';
import type { Protocols } from './protocols.ts';
import type { PortAnnotated } from './read-annotations.ts';

/** The headers that an HTTP listener adds; only then is the attribute ours to set. Octavia takes them as words "true". */
export function desireInsertHeaders(
  protocols: Protocols,
  index: number,
  { ServicePort: { insertHeaders = [], xForwardedFor = false } }: PortAnnotated,
): { readonly attributes: Pick<Partial<Listener>, 'insert_headers'>; readonly problems: readonly Problem[] } {
  const headers = [...new Set([...insertHeaders, ...(xForwardedFor ? ['X-Forwarded-For'] : [])])].sort();
  if (headers.length === 0 || !readsHttp(protocols.listener)) return { attributes: {}, problems: [] };
  const insert_headers = Object.fromEntries(headers.map((header) => [header, 'true']));
  return {
    attributes: { insert_headers },
    problems: readsHttp(protocols.listener) && isProxy(protocols) ? [lost(index, headers)] : [],
  };
}

function isProxy({ pool }: Protocols): boolean {
  return pool === 'PROXY' || pool === 'PROXYV2';
}

/** openstack-lab.md, "Data plane", trap 4: measured. */
function lost(index: number, headers: readonly string[]): Problem {
  const message = 'are not inserted by Octavia while the PROXY protocol is on: take one of the two';
  return { field: `headers of spec.ports[${index}]`, value: headers.join(', '), message };
}
