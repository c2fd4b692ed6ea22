import { readFileSync } from 'node:fs';
import type { AccessRule } from '../../../../infra/sandbox/openstack/keystone/access-rules.ts';
import { levelsetGrants } from '../../../../infra/sandbox/kube/kube-access.ts';
import { CLUSTER_RIGHTS } from '../../../../infra/kubernetes/rights.ts';
import { grantsOf } from '../../../rights/grants.ts';
import { replaceIn, sandboxWorld } from '../../sandbox-world.ts';

export type SetUp = Awaited<ReturnType<typeof aSetUp>>;

/** A sandbox with files that a test may edit, as a person would. */
export async function aSetUp() {
  const world = await sandboxWorld();
  return {
    ...world,
    /** Flags of the command line besides those of the files. */
    more: [] as string[],
    /** Replaces a text in cloud.conf. */
    edit: (from: string | RegExp, to: string) => replaceIn(world.flags.cloudConfig, from, to),
    token: (token: string) => replaceIn(world.flags.kubeconfig, /token: .*/, `token: ${token}`),
  };
}

export const ACCOUNT = 'system:serviceaccount:levelset:levelset';
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
  else if (manifest !== undefined) {
    const rights = CLUSTER_RIGHTS.filter((right) => `infra/kubernetes/${right.manifest}.yaml` === manifest);
    await token(sandbox.addUser(ACCOUNT, [...withoutStatus, ...grantsOf(rights)]));
  } else throw new Error(`nobody can paste ${command}`);
}

/** The rights of a ServiceAccount that may not write the status of a Service. */
export const withoutStatus = levelsetGrants.filter(({ resources }) => !resources.includes('services/status'));
