import { writeFileSync } from 'node:fs';
import { CAPABILITIES, type Capability } from '../shared/model/load-balancer/capabilities.ts';
import { tableOf } from './markdown-table.ts';

const HEAD = `# What it runs with

## Kubernetes

| version      | tried                                                                                           |
| ------------ | ----------------------------------------------------------------------------------------------- |
| 1.36         | the lab, each commit                                                                            |
| 1.30 to 1.35 | not by themselves                                                                               |
| 1.29         | by hand, its apiserver 1.29.6 on the lab: Services, Nodes, watches (\`KUBE_VERSION='1.36 1.29'\`) |

1.29 drops \`ipMode\` from a Service's status: kube-proxy then takes a short cut to the Pods for traffic from inside the cluster, and where members
get the PROXY protocol, that traffic comes without its header. \`enable-ingress-hostname\` helps.

## OpenStack

The lab has Zed, with Octavia 11 (API 2.26) and the provider amphora. The provider ovn and other versions of Octavia are simulated, by their
documents. levelset reads the versions that Octavia offers and the load balancer's provider. What they do not have, it does not send: it
does what the last column says, and names the annotation that asks for it in the Service's condition. Everything else works with
every Octavia from API 2.5 on.

Written by \`npm run generate\` from \`shared/model/load-balancer/capabilities.ts\`.
`;

/** The whole page. */
export function supportPage(): string {
  const rows = CAPABILITIES.toSorted((a, b) => (a.since ?? 0) - (b.since ?? 0)).map((one) => [
    `${one.kind} \`${one.attribute}\`${one.values ? ` ${one.values.map(String).join(', ')}` : ''}`,
    one.since === undefined ? 'any' : `2.${one.since}`,
    one.notAmphora ? 'no' : 'yes',
    one.notOvn ? 'no' : 'yes',
    withoutIt(one),
  ]);
  const titles = ['what', 'Octavia API', 'amphora', 'ovn', 'where it is missing'];
  return [HEAD, ...tableOf(titles, rows), ''].join('\n');
}

function withoutIt({ drops, guards, instead }: Capability): string {
  if (drops) return 'the port is left out';
  if (guards) return 'nothing is changed: it would be less safe';
  if (instead === undefined || instead === null) return 'left out';
  return `${JSON.stringify(instead)} in its place`;
}

if (import.meta.main) writeFileSync(new URL('support.md', import.meta.url), supportPage());
