import { portKeyOf } from '../../model/address.ts';
import {
  lackingIn,
  versionInWords,
  type Capability,
  type OctaviaVersion,
} from '../../model/load-balancer/capabilities.ts';
import { isRecord } from '../../model/json.ts';
import type { Problem } from '../../model/plan.ts';
import type { DesiredResource } from '../../model/resources.ts';
import { valueIn, type Spelling } from '../intent/read-annotations.ts';
import { ANNOTATIONS, NEEDS } from '../intent/annotations.ts';
import type { Port } from '../intent/ports.ts';
import type { ServiceIntent } from '../intent/service-intent.ts';

export interface Ability extends OctaviaVersion {
  readonly provider: string;
}

interface Able {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
}

/**
 * What this cloud cannot do has no effect and is a Problem, but not what levelset sets by itself (`implied`). What guards, such as `vip_sg_ids` or
 * TLS, blocks: without it the load balancer would be less safe than the user wants. A port that needs the attribute (`drops`) is left out.
 */
export function withinCapabilities(
  desired: readonly DesiredResource[],
  ability: Ability,
  ports: readonly Pick<Port, 'at' | 'spelled'>[] = [],
): Able {
  const { minor, provider } = ability;
  const missing = lackingIn(provider, minor);
  const problems = new Map<string, Problem>();
  const dropped = new Set<string>();
  const resources = desired
    .filter(({ kind }) => provider !== 'ovn' || (kind !== 'l7policy' && kind !== 'l7rule'))
    .map((resource) => {
      const attributes = new Map<string, unknown>(Object.entries(resource.attributes));
      const portKey = portKeyOf(resource.address);
      for (const capability of missing) {
        const { kind, attribute, values, at, instead } = capability;
        const value = attributes.get(attribute);
        if (kind !== resource.kind || value === undefined) continue;
        if (at !== undefined && !portKey.startsWith(`${at}/`)) continue;
        if (values && !values.includes(isRecord(value) ? value['type'] : value)) continue;
        if (capability.drops) dropped.add(portKey);
        else if (instead === undefined) attributes.delete(attribute);
        else attributes.set(attribute, instead);
        const port = ports.find((one) => one.at === portKey);
        const setters = ANNOTATIONS.filter(({ becomes }) => becomes === `${kind}.${attribute}`);
        const [spelled] = setters.flatMap(({ on, sets }) => port?.spelled[`${on}.${sets}`] ?? []);
        if (!spelled && capability.implied) continue;
        const problem = notMet(capability, value, ability, spelled);
        problems.set(`${problem.field} ${problem.value} ${problem.message}`, problem);
      }
      return { ...resource, attributes: Object.fromEntries(attributes) };
    });
  return {
    resources: resources.filter(({ address }) => !dropped.has(portKeyOf(address))),
    problems: [...problems.values()],
  };
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
  const without =
    (instead ?? null) === null ? 'levelset ignores it' : `levelset uses ${textOf(instead)} instead`;
  const done = guards
    ? 'while it is set, the Service is blocked'
    : drops
      ? 'levelset leaves out the port'
      : without;
  return {
    field: spelled?.name ?? `${kind} ${attribute}`,
    value: spelled?.text ?? textOf(value),
    message: `${why}; ${done}`,
    ...(guards ? { blocking: true as const } : {}),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Values that switch something off. They are no Problem if no port makes use of them. */
const OFF: readonly unknown[] = [undefined, false, null, 'NONE'];

/** A Problem for each annotation of which no port makes use, since something that it needs is missing. */
export function uselessSettings({ ports }: Pick<ServiceIntent, 'ports'>): readonly Problem[] {
  return ANNOTATIONS.flatMap((row) => {
    const { on, sets, needs, unused } = row;
    const spelled = (needs.length === 0 ? [] : ports).flatMap((port) => {
      const spelling = port.spelled[`${on}.${sets}`];
      const missing = needs.find((need) => !port.meets.has(need));
      return spelling ? [{ spelling, missing, isOff: OFF.includes(valueIn(port, row)) }] : [];
    });
    const used = new Set(spelled.flatMap(({ spelling, missing }) => (missing ? [] : [spelling.name])));
    const found = spelled.flatMap(({ spelling: { name: field, text: value }, missing, isOff }) => {
      if (!missing || isOff || used.has(field)) return [];
      const what = `needs ${NEEDS[missing]}`;
      return unused === 'blocks'
        ? [
            {
              field,
              value,
              message: `${what}; until there is one, the Service is blocked, since people may rely on it`,
              blocking: true as const,
            },
          ]
        : [{ field, value, message: `${what}; levelset ignores it` }];
    });
    return [...new Map(found.map((problem) => [problem.field, problem])).values()];
  });
}
