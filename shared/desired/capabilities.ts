import { CAPABILITIES } from '../model/capabilities.ts';
import type { Capability } from '../model/capabilities.ts';
import type { Problem } from '../model/plan.ts';
import type { DesiredResource } from '../model/resources.ts';

export interface Able {
  readonly resources: readonly DesiredResource[];
  readonly problems: readonly Problem[];
}

/**
 * What is desired without what this cloud cannot do, and a Problem for each wish that is not met. A port that should end
 * TLS cannot be opened without it: what comes through would not be what its members expect.
 */
export function withinCapabilities(
  desired: readonly DesiredResource[],
  octavia: { readonly major: number; readonly minor: number },
  provider: string,
): Able {
  const missing = CAPABILITIES.filter(
    ({ since = 0, notOvn }) => octavia.minor < since || (notOvn === true && provider === 'ovn'),
  );
  const problems = new Map<string, Problem>();
  const possible = desired.filter(
    ({ kind }) => provider !== 'ovn' || (kind !== 'l7policy' && kind !== 'l7rule'),
  );
  const resources = possible.map((resource) => {
    const attributes = new Map<string, unknown>(Object.entries(resource.attributes));
    for (const capability of missing) {
      const { kind, attribute, values, instead } = capability;
      const asked = attributes.get(attribute);
      if (kind !== resource.kind || asked === undefined) continue;
      if (values && !values.includes(asked)) continue;
      if (instead === undefined) attributes.delete(attribute);
      else attributes.set(attribute, instead);
      if (isDefault(attribute, asked)) continue;
      const problem = notMet(capability, asked, octavia, provider);
      problems.set(`${problem.field} ${problem.value}`, problem);
    }
    return { ...resource, attributes: Object.fromEntries(attributes) };
  });
  return { resources, problems: [...problems.values()] };
}

function notMet(
  { kind, attribute, since = 0, instead }: Capability,
  asked: unknown,
  octavia: { readonly major: number; readonly minor: number },
  provider: string,
): Problem {
  const why =
    octavia.minor < since
      ? `needs Octavia API 2.${since}, this cloud has ${octavia.major}.${octavia.minor}`
      : `is nothing that the provider ${provider} can do`;
  const ends = asked === 'TERMINATED_HTTPS';
  const taken = instead === undefined ? 'it is left out' : `${textOf(instead)} is taken in its place`;
  return {
    field: `${kind} ${attribute}`,
    value: textOf(asked),
    message: `${why}; ${ends ? 'nothing is changed' : taken}`,
    ...(ends ? { blocking: true as const } : {}),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What follows from something else that is said already. */
const IMPLIED = ['backup', 'monitor_port', 'http_method', 'url_path', 'expected_codes'];

/** Nobody asked for it: it is what levelset takes when nothing is said, and how a check of kube-proxy is made. */
function isDefault(attribute: string, asked: unknown): boolean {
  return (attribute === 'lb_algorithm' && asked === 'ROUND_ROBIN') || IMPLIED.includes(attribute);
}
