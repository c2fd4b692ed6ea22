import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { AccessRule } from '../../../../infra/sandbox/openstack/keystone/access-rules.ts';
import { levelsetGrants, type Grant } from '../../../../infra/sandbox/kube/kube-access.ts';
import type { SetUp } from './set-up.ts';

interface Role {
  readonly metadata: { readonly namespace?: string };
  readonly rules?: readonly {
    readonly apiGroups: readonly string[];
    readonly resources: readonly string[];
    readonly verbs: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
}

const QUOTAS = { 'floating-ips': 'floatingip', ports: 'port' } as const;

/** Does what the command in the last line of a remedy does, word for word. The sandbox has no programs, so they are played here. */
export async function paste({ sandbox, token }: SetUp, remedy: string): Promise<void> {
  const command = remedy.split('\n').at(-1) ?? '';
  const [, option = '', limit = '', project] =
    /^openstack quota set --([a-z-]+) (\d+) (\S+)$/.exec(command) ?? [];
  const [, rules] =
    /^openstack application credential create \S+ .*--access-rules (\S+)$/.exec(command) ?? [];
  const [, manifest] = /^kubectl -n levelset apply -f (\S+)$/.exec(command) ?? [];
  if (option in QUOTAS && project === sandbox.cloud.projectId)
    sandbox.cloud.quotas[QUOTAS[option as keyof typeof QUOTAS]] = Number(limit);
  else if (rules !== undefined)
    sandbox.cloud.applicationCredential.accessRules = JSON.parse(
      readFileSync(rules, 'utf8'),
    ) as readonly AccessRule[];
  else if (manifest !== undefined)
    await token(
      sandbox.addUser('system:serviceaccount:levelset:levelset', [
        ...withoutStatus,
        ...grantsIn(readFileSync(manifest, 'utf8')),
      ]),
    );
  else throw new Error(`nobody can paste ${command}`);
}

/** The rights of a ServiceAccount that may not write the status of a Service. */
export const withoutStatus = levelsetGrants.filter(({ resources }) => !resources.includes('services/status'));

function grantsIn(manifest: string): readonly Grant[] {
  const roles = parseAllDocuments(manifest).map((document) => document.toJS() as Role);
  return roles.flatMap(({ metadata: { namespace }, rules = [] }) =>
    rules.flatMap(({ apiGroups, resources, verbs, resourceNames = [undefined] }) =>
      resourceNames.map((name) => ({
        resources: apiGroups.flatMap((group) => resources.map((resource) => qualified(resource, group))),
        verbs,
        ...(namespace !== undefined && { namespace }),
        ...(name !== undefined && { name }),
      })),
    ),
  );
}

/** `services/status`, `leases.coordination.k8s.io` */
function qualified(resource: string, group: string): string {
  const [plural = '', ...subresource] = resource.split('/');
  return [group === '' ? plural : `${plural}.${group}`, ...subresource].join('/');
}
