import type { Config } from '../../config/config.ts';
import { equalAttribute } from '../../model/equality.ts';
import type { Problem } from '../../model/plan.ts';
import type { DesiredResource, ObservedResource } from '../../model/resources.ts';

const REFERENCES = [
  ['default_tls_container_ref', 'reference'],
  ['sni_container_refs', 'references'],
] as const;

/**
 * Octavia hands itself a certificate by trading the caller's token for another, which Keystone allows no application
 * credential to do: a 400, and of a whole load balancer's create it leaks the VIP port (decision 15). What names its
 * certificates already is changed as usual.
 */
export function delegationProblems(
  desired: readonly DesiredResource[],
  observed: readonly ObservedResource[],
  credentials: Config['openstack']['credentials']['type'],
): readonly Problem[] {
  if (credentials !== 'application-credential') return [];
  return desired
    .filter((resource): resource is DesiredResource<'listener'> => resource.kind === 'listener')
    .filter(({ address, attributes }) => {
      const wire = observed.find((resource) => resource.address === address)?.wire;
      return REFERENCES.some(
        ([name, compare]) =>
          attributes[name] !== undefined &&
          !equalAttribute({ change: 'in-place', compare }, attributes[name], wire?.[name]),
      );
    })
    .map(({ address, attributes }) => ({
      field: address,
      value: JSON.stringify(attributes.default_tls_container_ref ?? null),
      message:
        'needs a certificate of Barbican, which Octavia cannot read for an application credential: let levelset log in as a user with a password; nothing is changed until then',
      blocking: true,
      code: 'FORBIDDEN',
    }));
}
