import { versionInWords } from '../../../shared/model/load-balancer/capabilities.ts';
import { looksAfterRoutes } from '../../../shared/config/controllers.ts';
import { fieldsOf, isRecord, stringAt } from '../../../shared/model/json.ts';
import type { ServiceType } from '../../../shared/openstack/openstack-http.ts';
import { cloudSource, tried, type Examined } from './examined.ts';
import type { Finding } from './finding.ts';

/** The minor versions of Kubernetes 1 that docs/support.md names. */
export const KUBERNETES_MINORS = { oldest: 29, newest: 36 } as const;

/** The providers of which docs/support.md says what they can do. */
const PROVIDERS = ['amphora', 'amphorav2', 'octavia', 'ovn'];

/** The version of the kube-apiserver, which anybody may read. */
export async function checkKubernetesVersion(examined: Examined): Promise<readonly Finding[]> {
  const asked = await tried(() =>
    examined.connected.kubeHttp({
      method: 'GET',
      path: '/version',
      doing: 'read the version of the kube-apiserver',
    }),
  );
  const version = 'value' in asked ? stringAt(asked.value.body, 'gitVersion') : undefined;
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version ?? '') ?? [];
  if (version === undefined || minor === undefined)
    return [
      {
        area: 'versions',
        level: 'warning',
        what: 'the kube-apiserver does not say its version',
        remedy: 'kubectl version',
      },
    ];
  const { oldest, newest } = KUBERNETES_MINORS;
  const isTried = major === '1' && Number(minor) >= oldest && Number(minor) <= newest;
  if (isTried) return [{ area: 'versions', level: 'ok', what: `Kubernetes ${version}` }];
  const isOld = Number(minor) < oldest;
  return [
    {
      area: 'versions',
      level: isOld ? 'failure' : 'warning',
      what: `Kubernetes ${version}: levelset runs with 1.${oldest} to 1.${newest} (docs/support.md)`,
      remedy: isOld
        ? `upgrade the control plane to 1.${oldest} or newer:\nkubeadm upgrade plan`
        : 'take a newer levelset, or try this one with a few Services first: levelset sweep --dry-run',
    },
  ];
}

/** Octavia's API and provider, and the extensions of Neutron. */
export async function checkOpenStackVersions(
  examined: Examined,
  alive: ReadonlySet<ServiceType>,
): Promise<readonly Finding[]> {
  const found = await Promise.all([
    alive.has('load-balancer') ? octavia(examined) : [],
    alive.has('load-balancer') ? provider(examined) : [],
    alive.has('network') ? extensions(examined) : [],
  ]);
  return found.flat();
}

async function octavia({ connected }: Examined): Promise<readonly Finding[]> {
  const version = await tried(() => connected.world.cloud.octaviaVersion());
  if ('value' in version && version.value.isAssumed)
    return [
      {
        area: 'versions',
        level: 'warning',
        what: `${versionInWords(version.value)}: newer settings are left out, and new Services that need one to be safe are blocked`,
        remedy:
          'have whoever runs the cloud serve the root of Octavia, which lists its versions:\nopenstack versions show --service load-balancer',
      },
    ];
  if ('value' in version)
    return [
      { area: 'versions', level: 'ok', what: `Octavia API ${version.value.major}.${version.value.minor}` },
    ];
  const remedy = 'have Octavia upgraded to Stein or newer; levelset cannot work with this one';
  return [{ area: 'versions', level: 'failure', what: version.error.message, remedy }];
}

async function provider(examined: Examined): Promise<readonly Finding[]> {
  const { session, world } = examined.connected;
  const wanted = world.config.loadBalancer.lbProvider;
  const read = await tried(() =>
    session.read({
      service: 'load-balancer',
      path: '/v2.0/lbaas/providers',
      attempted: 'list the providers of Octavia',
    }),
  );
  const listed = 'value' in read ? fieldsOf(read.value)['providers'] : undefined;
  // no access rule allows this call, as levelset itself does not make it
  if (!Array.isArray(listed))
    return [
      {
        area: 'versions',
        level: 'note',
        what: `provider ${wanted}; Octavia does not list its providers to this credential`,
      },
    ];
  const names = listed.filter(isRecord).map((one) => stringAt(one, 'name') ?? '');
  const set = `set lb-provider in [LoadBalancer] of ${cloudSource(examined)} to one of ${names.join(', ')}:\nopenstack loadbalancer provider list`;
  if (!names.includes(wanted))
    return [
      {
        area: 'versions',
        level: 'failure',
        what: `Octavia has no provider ${wanted}; it has ${names.join(', ')}`,
        remedy: set,
      },
    ];
  if (PROVIDERS.includes(wanted)) return [{ area: 'versions', level: 'ok', what: `provider ${wanted}` }];
  const what = `provider ${wanted}: levelset was tried with ${PROVIDERS.join(', ')} (docs/support.md)`;
  return [{ area: 'versions', level: 'warning', what, remedy: set }];
}

async function extensions(examined: Examined): Promise<readonly Finding[]> {
  const { world } = examined.connected;
  const read = await tried(() => world.cloud.networkExtensions());
  if ('error' in read) return []; // the rights say why
  const { internalLb, manageSecurityGroups } = world.config.loadBalancer;
  const needed: readonly (readonly [alias: string, forWhat: string])[] = [
    ...(internalLb
      ? []
      : ([
          ['router', 'floating IPs'],
          ['standard-attr-tag', 'the tags of floating IPs'],
        ] as const)),
    ...(manageSecurityGroups ? ([['security-group', 'manage-security-groups']] as const) : []),
    ...(looksAfterRoutes(world.config)
      ? ([
          ['extraroute', 'routes to Pods'],
          ['allowed-address-pairs', 'routes to Pods'],
        ] as const)
      : []),
  ];
  const missing = needed.filter(([alias]) => !read.value.has(alias));
  if (missing.length === 0)
    return [
      {
        area: 'versions',
        level: 'ok',
        what: `Neutron has the extensions that levelset needs${needed.length > 0 ? `: ${needed.map(([alias]) => alias).join(', ')}` : ''}`,
      },
    ];
  return missing.map(([alias, forWhat]) => ({
    area: 'versions',
    level: 'failure',
    what: `Neutron has no extension ${alias}, which ${forWhat} need`,
    remedy: `have whoever runs the cloud enable it, or do without ${forWhat}:\nopenstack extension list --network`,
  }));
}
