import { placeOf } from '../../model/address.ts';
import { lackingIn, versionInWords } from '../../model/load-balancer/capabilities.ts';
import type { Capability, OctaviaVersion } from '../../model/load-balancer/capabilities.ts';
import { isRecord } from '../../model/json.ts';
import type { Problem } from '../../model/plan.ts';
import type { DesiredResource } from '../../model/resources.ts';
import type { Spelling } from '../intent/read-annotations.ts';
import { ANNOTATIONS } from '../intent/annotations.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

/** The version of the Octavia API, and the provider of the load balancer. */
export interface Ability extends OctaviaVersion {
  readonly provider: string;
}

interface Able {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
}

/** The annotation that sets an attribute of a resource, if one does. */
type SpelledBy = (resource: DesiredResource, attribute: string) => Spelling | undefined;

/**
 * The desired resources without what this cloud cannot do, and a Problem for each attribute that has no effect for that
 * reason. An attribute that levelset sets of its own accord (`implied`) is no Problem. An attribute that guards, such
 * as `vip_sg_ids` or TLS, blocks: without it the load balancer would be less safe than the user wants. A port for which
 * nothing can take the attribute's place (`drops`) is left out.
 */
export function withinCapabilities(
  desired: readonly DesiredResource[],
  ability: Ability,
  spelledBy: SpelledBy = () => undefined,
): Able {
  const { minor, provider } = ability;
  const missing = lackingIn(provider, minor);
  const problems = new Map<string, Problem>();
  const dropped = new Set<string>();
  const resources = desired
    .filter((one) => !isOfLayer7(one) || provider !== 'ovn')
    .map((resource) => {
      const attributes = new Map<string, unknown>(Object.entries(resource.attributes));
      for (const capability of missing) {
        const { kind, attribute, values, at, instead } = capability;
        const value = attributes.get(attribute);
        if (kind !== resource.kind || value === undefined) continue;
        if (at !== undefined && !placeOf(resource.address).startsWith(`${at}/`)) continue;
        if (values && !values.includes(isRecord(value) ? value['type'] : value)) continue;
        if (capability.drops) dropped.add(placeOf(resource.address));
        else if (instead === undefined) attributes.delete(attribute);
        else attributes.set(attribute, instead);
        const spelled = spelledBy(resource, attribute);
        if (!spelled && capability.implied) continue;
        const problem = notMet(capability, value, ability, spelled);
        problems.set(`${problem.field} ${problem.value} ${problem.message}`, problem);
      }
      return { ...resource, attributes: Object.fromEntries(attributes) };
    });
  return {
    resources: resources.filter(({ address }) => !dropped.has(placeOf(address))),
    problems: [...problems.values()],
  };
}

function isOfLayer7({ kind }: DesiredResource): boolean {
  return kind === 'l7policy' || kind === 'l7rule';
}

function notMet(
  { kind, attribute, since = 0, instead, guards, drops }: Capability,
  value: unknown,
  ability: Ability,
  spelled: Spelling | undefined,
): Problem {
  const why =
    ability.minor < since
      ? `needs Octavia API 2.${since}, and ${versionInWords(ability)}`
      : `cannot be done by the provider ${ability.provider}`;
  const stops = guards === true;
  const without =
    (instead ?? null) === null ? 'levelset ignores it' : `levelset uses ${textOf(instead)} instead`;
  const done = stops
    ? 'levelset changes nothing while it is set'
    : drops
      ? 'levelset leaves out the port'
      : without;
  return {
    field: spelled?.name ?? `${kind} ${attribute}`,
    value: spelled?.text ?? textOf(value),
    message: `${why}; ${done}`,
    ...(stops ? { blocking: true as const } : {}),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The annotation that sets an attribute of a resource at one of the Service's ports. */
export function spelledBy({ ports }: ServiceIntent): SpelledBy {
  return ({ kind, address }, attribute) => {
    const port = ports.find(({ at }) => at === placeOf(address));
    return settersOf(`${kind}.${attribute}`).flatMap((what) => port?.spelled[what] ?? [])[0];
  };
}

/** The rows whose value ends up in an attribute, such as `listener.tls_versions`. */
function settersOf(attribute: string): readonly string[] {
  const rows = ANNOTATIONS.filter((row) => row.becomes === attribute);
  return rows.map(({ on, sets }) => `${on}.${sets}`);
}
