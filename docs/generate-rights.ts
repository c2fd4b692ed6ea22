import { writeFileSync } from 'node:fs';
import { CLOUD_RIGHTS } from '../infra/openstack/rights.ts';
import { CLUSTER_RIGHTS } from '../infra/kubernetes/rights.ts';
import { tableOf } from './markdown-table.ts';

const HEAD = `# What levelset may do

Give levelset these rights and no other. Each right is needed: a test of the project fails without it.

Written by \`npm run generate\` from \`infra/openstack/rights.ts\` and \`infra/kubernetes/rights.ts\`, which name that test.

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
  const services = Map.groupBy(CLOUD_RIGHTS, ({ service }) => service);
  const inCloud = [...services].flatMap(([service, rights]) => {
    const rows = rights.map(({ method, path, why, password }) => [
      `\`${method} ${path}\`${password ? ' \\*' : ''}`,
      why,
    ]);
    return [`\n### ${service}\n`, ...tableOf(['call', 'what for'], rows)];
  });
  const manifests = Map.groupBy(CLUSTER_RIGHTS, ({ manifest }) => manifest);
  const inKubernetes = [...manifests].flatMap(([manifest, rights]) => {
    const alike = Map.groupBy(rights, ({ resource, name = '', why }) => `${resource} ${name} ${why}`);
    const rows = [...alike.values()].flatMap(([first, ...others]) => {
      if (!first) return [];
      const { resource, name, why } = first;
      const verbs = [first, ...others].map(({ verb }) => verb).join(', ');
      return [[`${verbs} \`${[resource, ...(name === undefined ? [] : [name])].join(' ')}\``, why]];
    });
    return [`\n### ${manifest}.yaml\n`, ...tableOf(['right', 'what for'], rows)];
  });
  return [HEAD.trimEnd(), ...inCloud, IN_KUBERNETES.trimEnd(), ...inKubernetes, ''].join('\n');
}

if (import.meta.main) writeFileSync(new URL('rights.md', import.meta.url), rightsPage());
