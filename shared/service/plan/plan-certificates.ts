import type { Step } from '../../model/plan.ts';
import type { Address } from '../../model/address.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';
import { identityOf } from '../../model/tls/certificate-facts.ts';
import { planOne, remove } from '../../plan/compare-and-plan.ts';

interface StoredInput {
  readonly desired: readonly DesiredResource[];
  readonly observed: readonly ObservedResource[];
  readonly there: ReadonlyMap<Address, ObservedResource>;
  readonly wanted: ReadonlyMap<Address, DesiredResource>;
  readonly leaves: string | undefined;
  /** Other load balancers of the Service exist whose listeners were not read. These may name any certificate. */
  readonly unknown: boolean;
}

/** The steps that store certificates. They come before the steps for the listeners that name the certificates. */
export function planToStore({ desired, there }: StoredInput): readonly Step[] {
  const steps: Step[] = [];
  for (const resource of desired.filter(({ kind }) => kind === 'secret')) planOne(resource, there, steps, []);
  return steps;
}

/**
 * Certificates go only if no observed listener names them. Octavia reads a certificate once more when it removes a listener, and hangs if it is gone
 * (decision 15): so none goes while the load balancer is locked or about to be deleted, or while some listeners were not read.
 */
export function planToTakeOut({ observed, there, wanted, leaves, unknown }: StoredInput): readonly Step[] {
  const lb = there.get('lb');
  const goes = lb !== undefined && !wanted.has('lb');
  const works = String(lb?.wire['provisioning_status']).startsWith('PENDING_');
  if (goes || works || unknown) return [];
  const named = new Set(observed.filter(({ kind }) => kind === 'listener').flatMap(namedBy));
  return observed
    .filter(
      ({ kind, address, id }) => kind === 'secret' && !wanted.has(address) && !named.has(identityOf(id)),
    )
    .map((stored) => remove(stored, leaves ?? 'no listener of the Service names it'));
}

function namedBy({ wire }: ObservedResource): readonly unknown[] {
  const { default_tls_container_ref, sni_container_refs, client_ca_tls_container_ref } = wire;
  return [default_tls_container_ref, sni_container_refs, client_ca_tls_container_ref].flat().map(identityOf);
}
