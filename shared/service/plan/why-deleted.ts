import type { Address } from '../../model/address.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import type { ServiceObject } from '../../model/service-object.ts';

export const MADE_TWICE = 'it is a duplicate: the answer to its create was lost';

/** Why a Service that wants no load balancer leaves the one it has. */
export function whyLeaving({ name, service, released }: ServiceObject): string {
  if (!service) return `Service ${name.namespace}/${name.name} is gone`;
  if (service.metadata.deletionTimestamp !== undefined) return 'the Service is being deleted';
  if (service.spec.type !== 'LoadBalancer') return `the Service is of type ${service.spec.type} now`;
  return `approved; ${released?.because ?? 'the Service asks for no load balancer'}`;
}

export interface Asked {
  readonly wanted: ReadonlyMap<Address, DesiredResource>;
  readonly ports: readonly string[];
}

export function whyChildGoes({ kind, address }: ObservedResource, { wanted, ports }: Asked): string {
  switch (kind) {
    case 'healthmonitor':
      return 'this port is to have no health monitor';
    case 'l7policy':
      return 'this port is to have no redirect';
    case 'l7rule':
      return 'this redirect is to have no such condition';
    default: {
      const [, family = '', port = ''] = address.split('/');
      const portKey = `${family}/${port}`;
      if (kind === 'pool' && wanted.has(`listener/${portKey}`)) return 'its listener is to use another pool';
      return ports.includes(portKey)
        ? 'levelset leaves this port of the Service out'
        : 'no port of the Service asks for it';
    }
  }
}

/** Why a member goes from a pool that stays; `all` are the desired members of the pool. */
export function whyMemberGoes(
  { wire }: ObservedResource,
  all: readonly DesiredResource[],
  isOfPods: boolean,
): string {
  const isElsewhere = all.some(
    ({ attributes }) => (attributes as { readonly address?: string }).address === wire['address'],
  );
  if (isElsewhere) return 'another port of the same address takes its place';
  return isOfPods
    ? 'no Pod that can be a member has this address'
    : 'no eligible Node takes traffic at this address';
}
