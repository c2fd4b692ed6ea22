import type { Node } from '../kubernetes.ts';

/** spec.providerID (docs/sources/occm.md, "providerID"; docs/sources/kinx.md, "providerID of kinx"). */

interface ProviderID {
  /** `bare` is an id without a scheme, as old clusters have it, with a region before it or none. */
  readonly scheme: 'openstack' | 'kinx' | 'bare';
  readonly region?: string;
  readonly serverId: string;
}

const UUID = '[\\da-fA-F]{8}(?:-[\\da-fA-F]{4}){3}-[\\da-fA-F]{12}';
const WITH_SCHEME = new RegExp(`^(openstack|kinx)://([^/]*)/(${UUID})$`);
const BARE = new RegExp(`^(?:([^/:]*)/)?(${UUID})$`);

/** Undefined for other clouds and ids that are no UUIDs: Nova answers those with 404, as if the server were gone. */
export function parseProviderID(text: string): ProviderID | undefined {
  const [, scheme, region = '', id] = WITH_SCHEME.exec(text) ?? [];
  if (scheme === 'openstack' && id !== undefined) return named(scheme, region, id);
  if (scheme === 'kinx' && region === '' && id !== undefined) return named(scheme, region, id);
  const [, before = '', bare] = BARE.exec(text) ?? [];
  return bare === undefined ? undefined : named('bare', before, bare);
}

function named(scheme: ProviderID['scheme'], region: string, id: string): ProviderID {
  return { scheme, ...(region === '' ? {} : { region }), serverId: id.toLowerCase() };
}

/** The id of the server that a Node names by its providerID. */
export function serverOf({ spec }: Node): string | undefined {
  return parseProviderID(spec?.providerID ?? '')?.serverId;
}

/** The providerID to write. `region` is given only if providerIDs are regional (OS_CCM_REGIONAL). */
export function formatProviderID(serverId: string, region: string | undefined): string {
  return `openstack://${region ?? ''}/${serverId}`;
}
