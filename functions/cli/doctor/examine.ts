import { checkApiserver, checkKeystone } from './check-credentials.ts';
import { checkClock } from './check-clock.ts';
import { checkClusterName } from './check-cluster-name.ts';
import { checkCloudRights } from './check-cloud-rights.ts';
import { checkClusterRights } from './check-cluster-rights.ts';
import { checkEndpoints } from './check-endpoints.ts';
import { checkNetworks } from './check-networks.ts';
import { checkQuotas } from './check-quotas.ts';
import { checkKubernetesVersion, checkOpenStackVersions } from './check-versions.ts';
import { checkWaysIn } from './check-ways-in.ts';
import { tried, type Examined } from './examined.ts';
import { AREAS, type Finding } from './finding.ts';

/** All that can be found out from here without a write, by area. What one failure hides is not asked. */
export async function examine(examined: Examined): Promise<readonly Finding[]> {
  const found = await Promise.all([cloudSide(examined), clusterSide(examined), checkWaysIn(examined)]);
  return found.flat().sort((a, b) => AREAS.indexOf(a.area) - AREAS.indexOf(b.area));
}

async function cloudSide(examined: Examined): Promise<readonly Finding[]> {
  const login = await checkKeystone(examined);
  if (login.some(({ level }) => level === 'failure')) return [...login, unchecked('OpenStack')];
  const { findings, alive, time } = await checkEndpoints(examined);
  const found = await Promise.all([
    checkCloudRights(examined, alive),
    checkOpenStackVersions(examined, alive),
    alive.has('network') ? checkNetworks(examined) : [],
    alive.has('load-balancer') ? checkClusterName(examined) : [],
    alive.has('network') && alive.has('load-balancer') ? checkQuotas(examined) : [],
  ]);
  return [...login, ...findings, ...found.flat(), ...checkClock('OpenStack', time)];
}

async function clusterSide(examined: Examined): Promise<readonly Finding[]> {
  const { findings, user } = await checkApiserver(examined);
  const sentMs = Date.now();
  const asked = await tried(() =>
    examined.connected.kubeHttp({
      method: 'GET',
      path: '/readyz',
      doing: 'ask whether the kube-apiserver is ready',
    }),
  );
  const serverTimeMs = 'value' in asked ? asked.value.serverTimeMs : undefined;
  const time = serverTimeMs === undefined ? undefined : { serverTimeMs, sentMs, answeredMs: Date.now() };
  const clock = checkClock('the kube-apiserver', time);
  if (user === undefined) return [...findings, unchecked('Kubernetes'), ...clock];
  const found = await Promise.all([checkClusterRights(examined), checkKubernetesVersion(examined)]);
  return [...findings, ...found.flat(), ...clock];
}

function unchecked(side: string): Finding {
  return { area: 'rights', level: 'note', what: `${side} is not asked for more: mend the login first` };
}
