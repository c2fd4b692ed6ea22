/**
 * kill -9 while Services come onto a load balancer, while its owner leaves it to another one, and while the last one goes.
 * At no moment does the listener of the one that stays go away.
 */
import type { SandboxWorld } from '../support/sandbox-world.ts';
import { aService } from '../support/service.ts';
import { killStories } from './kill-stories.ts';
import type { Story } from './story.ts';

const apply = (it: SandboxWorld, name: string, port: number): void => {
  const annotations = { 'levelset.openstack.org/load-balancer-name': 'edge' };
  it.sandbox.kube.apply(aService({ name, annotations, spec: { ports: [{ name: 'main', port }] } }));
};
const remove = (it: SandboxWorld, name: string): void => {
  it.sandbox.kube.delete('Service', 'default', name);
};

async function both(it: SandboxWorld): Promise<void> {
  apply(it, 'web', 80);
  await it.settle('web');
  apply(it, 'api', 81);
  await it.settle('api');
  await it.settle('api');
}

const serving =
  (port: number) =>
  (it: SandboxWorld): readonly string[] =>
    it.sandbox.cloud.listeners.some((one) => one.protocol_port === port) ? [] : [`port ${port} is closed`];

/** Of what is written to OpenStack; the rest is as in the other stories. */
const only = / \/(load-balancer|network)\//;

const STORIES: readonly Story[] = [
  {
    name: 'one that joins',
    only,
    before: (it) => {
      apply(it, 'web', 80);
    },
    act: (it) => {
      apply(it, 'api', 81);
    },
    watch: serving(80),
  },
  {
    name: 'an owner that leaves',
    only,
    before: both,
    act: (it) => {
      remove(it, 'web');
    },
    watch: serving(81),
  },
  {
    name: 'the last one that leaves',
    only,
    before: async (it) => {
      await both(it);
      remove(it, 'web');
      await it.settle('web');
      await it.settle('api');
    },
    act: (it) => {
      remove(it, 'api');
    },
  },
];

killStories(STORIES);
