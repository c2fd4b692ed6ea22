import type { Answer } from '../../exchange.ts';
import { Refusal } from '../../refusal.ts';

/** The extensions of the lab's Neutron that a cloud controller could ask for. */
export const labExtensions = [
  ...['allowed-address-pairs', 'external-net', 'extra_dhcp_opt', 'extraroute', 'extraroute-atomic'],
  ...['fip-port-details', 'ip-substring-filtering', 'pagination', 'port-security', 'quotas', 'quota_details'],
  ...['port-security-groups-filtering', 'revision-if-match', 'router', 'security-group', 'sorting'],
  ...['standard-attr-description', 'standard-attr-revisions', 'standard-attr-tag', 'standard-attr-timestamp'],
];

/** GET /v2.0/extensions and one of them by its alias. */
export function answerExtensions(extensions: readonly string[], alias: string | undefined): Answer {
  const view = (one: string) => ({
    name: one,
    alias: one,
    description: '',
    updated: '2020-01-01T00:00:00+00:00',
    links: [],
  });
  if (alias === undefined) return { status: 200, body: { extensions: extensions.map(view) } };
  if (extensions.includes(alias)) return { status: 200, body: { extension: view(alias) } };
  const message = `The resource could not be found.<br /><br />\nExtension with alias ${alias} does not exist\n\n`;
  throw new Refusal(404, { message, code: '404 Not Found', title: 'Not Found' });
}
