import type { Node } from '../../model/kubernetes.ts';
import type { Server, ServerFlavor } from '../../model/node/nova.ts';

/** Each label has two spellings, which always have the same value (docs/sources/kubernetes.md, "Node labels"). */
const INSTANCE_TYPE = ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'];
const ZONE = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];
const REGION = ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'];

const LONGEST = 63;
const VALID = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/** docs/sources/occm.md, "Instance type, zone and region". Unknown values are left out. */
export function nodeLabels(server: Server, region: string | undefined): Readonly<Record<string, string>> {
  const values: readonly (readonly [readonly string[], string | undefined])[] = [
    [INSTANCE_TYPE, instanceType(server.flavor ?? {})],
    [ZONE, labelValue(server['OS-EXT-AZ:availability_zone'] ?? '')],
    [REGION, labelValue(region ?? '')],
  ];
  return Object.fromEntries(
    values.flatMap(([keys, value]) => (value === undefined ? [] : keys.map((key) => [key, value]))),
  );
}

/** The region of a Node, as the label says that its initialisation set. */
export function regionOf({ metadata }: Node): string | undefined {
  return REGION.map((key) => metadata.labels?.[key]).find((value) => value !== undefined);
}

/** The flavor's name; if it is no valid label, its id as with OCCM, or its name made valid. */
function instanceType({ original_name = '', id = '' }: ServerFlavor): string | undefined {
  return [original_name, id].find(isValid) ?? labelValue(original_name) ?? labelValue(id);
}

/** Text as the value of a label; undefined if nothing is left. */
export function labelValue(text: string): string | undefined {
  const value = text
    .replace(/[^-A-Za-z0-9_.]+/g, '-')
    .replace(/^[-_.]+/, '')
    .slice(0, LONGEST)
    .replace(/[-_.]+$/, '');
  return value === '' ? undefined : value;
}

function isValid(text: string): boolean {
  return text.length <= LONGEST && VALID.test(text);
}
