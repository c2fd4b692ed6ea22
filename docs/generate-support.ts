import { writeFileSync } from 'node:fs';
import { CAPABILITIES, type Capability } from '../shared/model/load-balancer/octavia.ts';
import measured from '../infra/sandbox/openstack/releases.json' with { type: 'json' };
import { tableOf } from './markdown-table.ts';

const HEAD = `# What it runs with

See whether your Kubernetes, your Octavia and your network were tried, and what an older one cannot do.

## Kubernetes

${tableOf(
  ['version', 'tried'],
  [
    ['1.36', 'the lab, each commit'],
    ['1.30 to 1.35', 'not tried'],
    [
      '1.29',
      'the lab with the apiserver 1.29.6 and the kube-controller-manager of 1.36, a third with each commit: Services, dual stack, Nodes, routes, watches, the chart',
    ],
  ],
).join('\n')}

1.29 drops \`ipMode\` from a Service's status: kube-proxy then takes a short cut to the Pods for traffic from inside the cluster, and where members
get the PROXY protocol, that traffic comes without its header. \`enable-ingress-hostname\` helps.

## OpenStack

The lab has Zed, with Octavia 11 (API 2.26) and the provider amphora. The provider ovn and other versions of Octavia are simulated, by their
documents. levelset reads the versions that Octavia offers and the load balancer's provider. It does not send what they do not have: it does
what the last column says, and the Service's condition names the annotation. Everything else works with every Octavia from API 2.5 on. An
Octavia that does not tell its versions (its root answers 404 or 300) counts as 2.5, or as what its load balancers show.

## Networks

${tableOf(
  ['way', 'tried'],
  [
    [
      'proxies',
      'the lab: `proxy-url` and HTTPS_PROXY with a password, NO_PROXY; on Lambda tests of the client',
    ],
    ['IPv6 alone', 'the lab: apiserver and OpenStack at ::1, by forwarders; the simulators'],
  ],
).join('\n')}

## What each Octavia can do

Written by \`npm run generate\` from the tables in \`shared/model/attributes/\`.
`;

const RELEASE_HEAD = `## What today's OpenStack answers otherwise

Measured on both. What ovn lacks is in the table above: it answers 501, to persistence by a cookie 500. The simulator is either (\`levelset sandbox --openstack-release\`).
`;

/** The whole page. */
export function supportPage(): string {
  const all = CAPABILITIES.toSorted((a, b) => (a.since ?? 0) - (b.since ?? 0)).map((one) => ({
    of: `${one.kind}${one.at ? ' of UDP ports' : ''}`,
    what: `\`${one.attribute}\`${one.values ? ` ${one.values.map(String).join(', ')}` : ''}`,
    rest: [
      one.since === undefined ? 'any' : `2.${one.since}`,
      one.notAmphora ? 'no' : 'yes',
      isMissingInOvn(one) ? 'no' : 'yes',
      withoutIt(one),
    ],
  }));
  const alike = Map.groupBy(all, ({ rest }) => rest.join('|'));
  const rows = [...alike.values()].map((group) => {
    const kinds = [...Map.groupBy(group, ({ of }) => of)];
    const whats = kinds.map(([of, ones]) => `${of} ${ones.map(({ what }) => what).join(', ')}`);
    return [whats.join('; '), ...(group[0]?.rest ?? [])];
  });
  const titles = ['what', 'Octavia API', 'amphora', 'ovn', 'where it is missing'];
  const releases = measured.rows
    .filter((row) => row['2022.2'] !== 'yes' || row['2026.2'] !== 'yes')
    .map((row) => [row.what, row['2022.2'], row['2026.2'], row.ovn]);
  const of = ['what', 'Octavia 11 (2022.2)', 'Octavia 19 (2026.2)', 'ovn-octavia-provider 11'];
  return [HEAD, ...tableOf(titles, rows), '', RELEASE_HEAD, ...tableOf(of, releases), ''].join('\n');
}

/** What ovn lacks takes along what is a part of it: PROXYV2 of PROXY pools, the path of an HTTP monitor, L7 policies of HTTP listeners. */
function isMissingInOvn({ kind, attribute, at, values }: Capability): boolean {
  const holds = (other: Capability): boolean =>
    other.kind === kind &&
    other.attribute === attribute &&
    (other.at === undefined || other.at === at) &&
    (other.values === undefined || values?.every((value) => other.values?.includes(value)) === true);
  return kind === 'l7policy' || CAPABILITIES.some((other) => other.notOvn === true && holds(other));
}

function withoutIt({ drops, guards, instead }: Capability): string {
  if (drops) return 'levelset skips the port';
  if (guards) return 'nothing is changed: it would be less safe';
  if (instead === undefined || instead === null) return 'levelset does not send it';
  return `${JSON.stringify(instead)} in its place`;
}

if (import.meta.main) writeFileSync(new URL('support.md', import.meta.url), supportPage());
