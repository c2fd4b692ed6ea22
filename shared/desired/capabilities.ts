import { CAPABILITIES } from '../model/capabilities.ts';
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
    const attributes: Record<string, unknown> = { ...resource.attributes };
    for (const { kind, attribute, values, since, instead } of missing) {
      const asked = attributes[attribute];
      if (kind !== resource.kind || asked === undefined) continue;
      if (values && !values.includes(asked)) continue;
      if (instead === undefined) delete attributes[attribute];
      else attributes[attribute] = instead;
      if (isDefault(attribute, asked)) continue;
      const why =
        since !== undefined && octavia.minor < since
          ? `needs Octavia API 2.${since}, this cloud has ${octavia.major}.${octavia.minor}`
          : `is nothing that the provider ${provider} can do`;
      const ends = asked === 'TERMINATED_HTTPS';
      const taken = instead === undefined ? 'it is left out' : `${String(instead)} is taken in its place`;
      problems.set(`${kind} ${attribute} ${String(asked)}`, {
        field: `${kind} ${attribute}`,
        value: typeof asked === 'string' ? asked : JSON.stringify(asked),
        message: `${why}; ${ends ? 'nothing is changed' : taken}`,
        ...(ends ? { blocking: true as const } : {}),
      });
    }
    return { ...resource, attributes };
  });
  return { resources, problems: [...problems.values()] };
}

/** What follows from something else that is said already. */
const IMPLIED = ['backup', 'monitor_port', 'http_method', 'url_path', 'expected_codes'];

/** Nobody asked for it: it is what levelset takes when nothing is said, and how a check of kube-proxy is made. */
function isDefault(attribute: string, asked: unknown): boolean {
  return (attribute === 'lb_algorithm' && asked === 'ROUND_ROBIN') || IMPLIED.includes(attribute);
}
