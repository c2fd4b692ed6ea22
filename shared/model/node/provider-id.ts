/**
 * spec.providerID: which server a Node is (docs/sources/go-provider.md, "providerID"; docs/sources/kinx.md, "providerID
 * of kinx").
 */

export interface ProviderID {
  /** bare: an id without a scheme, as old clusters have it. */
  readonly scheme: 'openstack' | 'kinx' | 'bare';
  readonly region?: string;
  /** A UUID as Nova spells it. */
  readonly serverId: string;
}

const UUID = '[\\da-fA-F]{8}(?:-[\\da-fA-F]{4}){3}-[\\da-fA-F]{12}';
const WITH_SCHEME = new RegExp(`^(openstack|kinx)://([^/]*)/(${UUID})$`);
const BARE = new RegExp(`^/?(${UUID})$`);

/**
 * Undefined for what is not ours to judge: other clouds' schemes, and ids that are no UUIDs. Nova answers 404 to those,
 * which would look as if the server were gone, and to an empty one with a list.
 */
export function parseProviderID(text: string): ProviderID | undefined {
  const [, scheme, region = '', id] = WITH_SCHEME.exec(text) ?? [];
  if (scheme === 'openstack' && id !== undefined)
    return { scheme, ...(region === '' ? {} : { region }), serverId: id.toLowerCase() };
  if (scheme === 'kinx' && region === '' && id !== undefined) return { scheme, serverId: id.toLowerCase() };
  const bare = BARE.exec(text)?.[1];
  return bare === undefined ? undefined : { scheme: 'bare', serverId: bare.toLowerCase() };
}

/** As it is written; with a region only where providerIDs are regional (OS_CCM_REGIONAL). */
export function formatProviderID(serverId: string, region: string | undefined): string {
  return `openstack://${region ?? ''}/${serverId}`;
}
