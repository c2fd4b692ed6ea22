/**
 * kill -9 while a replacement is built next to what serves: certificates that are stored, renewed and removed, and pools
 * that take the place of others. Nothing is left over and nothing is lost; no listener's pool is ever empty, and no
 * certificate is ever missing.
 */
import type { SandboxWorld } from '../support/sandbox-world.ts';
import { aService } from '../support/service.ts';
import { aTlsSecret, type Pair } from '../support/tls-secret.ts';
import { killStories } from './kill-stories.ts';
import type { Story } from './story.ts';

const TLS = { 'levelset.openstack.org/tls-secret': 'web-tls' };
/** A merge patch takes away what is null. */
const GONE = { 'levelset.openstack.org/tls-secret': null as unknown as string };

const apply = (it: SandboxWorld, annotations: Record<string, string> = {}): void => {
  it.sandbox.kube.apply(aService({ annotations, spec: { ports: [{ name: 'https', port: 443 }] } }));
};
const keep = (it: SandboxWorld, pair: Pair): void => {
  const { type, data } = aTlsSecret(pair);
  it.sandbox.kube.apply({ kind: 'Secret', metadata: { name: 'web-tls' }, type, data: { ...data } });
};
const served = (it: SandboxWorld): void => {
  keep(it, 'one');
  apply(it, TLS);
};

/** Of what is written to OpenStack; the rest is as in the other stories. */
const only = / \/(load-balancer|key-manager)\//;

const STORIES: readonly Story[] = [
  { name: 'a certificate that is stored', only, act: served },
  {
    name: 'a certificate that is renewed',
    only,
    before: served,
    act: (it) => {
      keep(it, 'two');
    },
  },
  {
    name: 'a certificate that is given up',
    only,
    before: served,
    act: (it) => {
      apply(it, GONE);
    },
  },
  {
    name: 'a Service with a certificate that is deleted',
    only,
    before: served,
    act: (it) => {
      it.sandbox.kube.delete('Service', 'default', 'web');
    },
  },
  {
    name: 'a pool of another protocol',
    only,
    before: apply,
    act: (it) => {
      apply(it, { 'loadbalancer.openstack.org/proxy-protocol': 'true' });
    },
  },
  {
    name: 'a monitor of another type',
    only,
    before: apply,
    act: (it) => {
      apply(it, { 'levelset.openstack.org/monitor-type': 'HTTP' });
    },
  },
  {
    name: 'a load balancer in ERROR that is rebuilt',
    only: / \/(load-balancer|network)\//,
    before: apply,
    act: ({ sandbox: { cloud } }) => {
      for (const lb of cloud.loadbalancers) {
        cloud.setStatus(lb.id, 'ERROR');
        lb.operating_status = 'ERROR';
      }
      for (const member of cloud.members) member.operating_status = 'ERROR';
    },
  },
];

/** Listeners without a member to go to, or that name a certificate which is not there. */
function broken({ sandbox: { cloud } }: SandboxWorld): readonly string[] {
  return cloud.listeners.flatMap(({ name, default_pool_id, default_tls_container_ref: ref }) => [
    ...(cloud.members.some(({ pool_id }) => pool_id === default_pool_id) ? [] : [`${name} has no member`]),
    ...(typeof ref !== 'string' || cloud.secrets.some(({ id }) => ref.endsWith(id))
      ? []
      : [`${name} has no certificate`]),
  ]);
}

killStories(STORIES.map((story) => ({ ...story, watch: broken })));
