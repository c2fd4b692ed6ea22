import type { Node } from '../../model/kubernetes.ts';
import type { Server, ServerFlavor } from '../../model/node/nova.ts';

/** Each in its two spellings, which always say the same (docs/sources/kubernetes.md, "Node labels"). */
const INSTANCE_TYPE = ['node.kubernetes.io/instance-type', 'beta.kubernetes.io/instance-type'];
const ZONE = ['topology.kubernetes.io/zone', 'failure-domain.beta.kubernetes.io/zone'];
const REGION = ['topology.kubernetes.io/region', 'failure-domain.beta.kubernetes.io/region'];

const LONGEST = 63;
const VALID = /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

/**
 * The labels of a Node that say what and where its server is (docs/sources/go-provider.md, "Instance type, zone and
 * region"). What is not known is not among them.
 */
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

/** In which a Node is, as whoever initialised it said. */
export function regionOf({ metadata }: Node): string | undefined {
  return REGION.map((key) => metadata.labels?.[key]).find((value) => value !== undefined);
}

/** The flavor's name, else its id as with the Go provider, else its name made valid. */
function instanceType({ original_name = '', id = '' }: ServerFlavor): string | undefined {
  return [original_name, id].find(isValid) ?? labelValue(original_name) ?? labelValue(id);
}

/**
 * Runs of characters that no label may have become a dash; 63 characters at most, the first and the last of them a letter or
 * a digit. Undefined if nothing is left.
 */
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
