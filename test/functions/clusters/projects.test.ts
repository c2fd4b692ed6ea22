/** What clusters of one project know of each other in a process that serves them. */
import { expect, onTestFinished, test } from 'vitest';
import { Projects } from '../../../functions/clusters/serve-clusters.ts';
import { listNodesNow } from '../../../shared/observe/reads.ts';
import { startSandboxWorld, type SandboxWorld } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';

const CONFIG = { manageSecurityGroups: true };

async function entered(
  projects: Projects,
  name: string,
  { world }: SandboxWorld,
): Promise<SandboxWorld['world']> {
  const its = { ...world, cluster: name };
  await projects.enter({ world: its, project: () => Promise.resolve('the project') });
  return its;
}

/** A second cluster whose one Node is a server of the first one's, by its providerID or by its address alone. */
async function twoClusters(isNamed: boolean) {
  const owner = await startSandboxWorld({}, CONFIG);
  onTestFinished(() => owner.close());
  const other = await startSandboxWorld({ nodes: 0 }, CONFIG, owner.sandbox);
  onTestFinished(() => other.close());
  const [node] = await owner.world.kube.listNodes();
  const { providerID = '' } = node?.spec ?? {};
  const addresses = node?.status?.addresses ?? [];
  const spec = isNamed ? { providerID } : {};
  other.sandbox.kube.apply({ kind: 'Node', metadata: { name: 'mine' }, spec, status: { addresses } });
  other.sandbox.kube.apply(aService());
  const ports = owner.sandbox.cloud.ports.filter(({ device_id: device }) =>
    providerID.endsWith(device || 'none'),
  );
  return { owner, other, groups: () => ports.flatMap(({ security_groups: ids }) => ids) };
}

test.each([
  ['by its providerID', true, 'which is a Node of another cluster of the project'],
  ['by its address alone', false, 'on no port of the Node, which names no server'],
])(
  'a server that is another cluster’s Node is no member here that is named %s, and its ports stay shut',
  async (_how, isNamed, because) => {
    const projects = new Projects();
    const { owner, other, groups } = await twoClusters(isNamed);
    await listNodesNow(await entered(projects, 'owner', owner));
    const before = groups();
    expect(before).not.toEqual([]);

    const by = await entered(projects, 'other', other);
    await other.settle('web', { cluster: 'other' }, by);
    expect(owner.sandbox.cloud.members).toEqual([]);
    expect(groups()).toEqual(before);
    expect(JSON.stringify(other.sandbox.kube.get('Service', 'default', 'web')?.status)).toContain(because);

    projects.leave('owner');
    await other.sweepUntilSettled(by);
    expect(owner.sandbox.cloud.members).toHaveLength(1);
    expect(groups()).toHaveLength(before.length + 1);
  },
);
