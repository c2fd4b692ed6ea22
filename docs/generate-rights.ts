import { writeFileSync } from 'node:fs';
import { CLOUD_RIGHTS } from '../infra/openstack/rights.ts';
import { CLUSTER_RIGHTS } from '../infra/kubernetes/rights.ts';
import { tableOf } from './markdown-table.ts';

const HEAD = `# What levelset may do

Written by \`npm run generate\` from \`infra/openstack/rights.ts\` and \`infra/kubernetes/rights.ts\`. Each right names the smallest scenario that fails without it;
\`test/rights\` plays each with all rights, and without this one. The lab's suite runs
with the access rules and no other right, and \`test/e2e/rights\` takes each away there.

## In OpenStack

\`infra/openstack/access-rules.json\` has these calls for an application credential ([how](../infra/openstack/README.md)). Where one is
refused, the Service's condition, its Events and the log name the missing rule. Calls marked with \\* are not in the file: only a user with a
password makes them (decision 15).
`;

const IN_KUBERNETES = `
## In Kubernetes

The manifests of \`infra/kubernetes\` grant exactly these, each file only what its feature needs. Where one is refused, the log has the
apiserver's words. Rights of a ConfigMap by its name, and of Leases, are in levelset's own namespace; of Secrets in one that opts in,
or in levelset's own where it keeps a registry of clusters.
`;

/** The whole page. */
export function rightsPage(): string {
  const rows = CLOUD_RIGHTS.map(({ service, method, path, why, scenario, password }) => [
    service,
    `\`${method} ${path}\`${password ? ' \\*' : ''}`,
    why,
    scenario,
  ]);
  const inKubernetes = CLUSTER_RIGHTS.map(({ manifest, verb, resource, name, why, scenario }) => [
    `\`${manifest}.yaml\``,
    `${verb} \`${[resource, ...(name === undefined ? [] : [name])].join(' ')}\``,
    why,
    scenario,
  ]);
  return [
    ...[HEAD, ...tableOf(['service', 'call', 'what for', 'smallest scenario'], rows)],
    ...[IN_KUBERNETES, ...tableOf(['manifest', 'right', 'what for', 'smallest scenario'], inKubernetes), ''],
  ].join('\n');
}

if (import.meta.main) writeFileSync(new URL('rights.md', import.meta.url), rightsPage());
