import { readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { AccessRule } from '../../../../infra/sandbox/openstack/keystone/access-rules.ts';
import { levelsetGrants } from '../../../../infra/sandbox/kube/kube-access.ts';
import { CLUSTER_RIGHTS } from '../../../../infra/kubernetes/rights.ts';
import { grantsOf } from '../../../rights/grants.ts';
import { sandboxWorld, type SandboxWorld } from '../../sandbox-world.ts';

/** A sandbox with files that a test may edit, as a person would. */
export interface SetUp extends SandboxWorld {
  /** Replaces a text in cloud.conf. */
  readonly edit: (from: string | RegExp, to: string) => Promise<void>;
  /** Writes another kubeconfig token. */
  readonly token: (token: string) => Promise<void>;
  /** Flags of the command line besides those of the files. */
  readonly more: string[];
}

export async function aSetUp(): Promise<SetUp> {
  const world = await sandboxWorld();
  const replaceIn = async (file: string, from: string | RegExp, to: string): Promise<void> => {
    await writeFile(file, (await readFile(file, 'utf8')).replace(from, to));
  };
  return {
    ...world,
    more: [],
    edit: (from, to) => replaceIn(world.flags.cloudConfig, from, to),
    token: (token) => replaceIn(world.flags.kubeconfig, /token: .*/, `token: ${token}`),
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
