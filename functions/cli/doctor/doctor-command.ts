import { asReconcileError, isError } from '../../../shared/model/errors.ts';
import { connectWithLogins } from '../../connect-with-logins.ts';
import type { Connected } from '../../world.ts';
import { RegisteredClusters } from '../registered-clusters.ts';
import { commandLog, printObjects, printsObjects, type RunCommand } from '../command.ts';
import { checkApiserver, checkKeystone } from './check-credentials.ts';
import { checkClock, checkEndpoints } from './check-endpoints.ts';
import { checkCloudRights } from './check-cloud-rights.ts';
import { checkClusterRights } from './check-cluster-rights.ts';
import { checkClusterName, checkNetworks } from './check-named.ts';
import { checkQuotas } from './check-quotas.ts';
import { checkKubernetesVersion, checkOpenStackVersions } from './check-versions.ts';
import { checkWaysIn } from './check-ways-in.ts';
import { cloudSource, tried, type Examined } from './examined.ts';
import { AREAS, finding, renderFindings, type Finding } from './finding.ts';

/**
 * `levelset doctor`: looks at everything that levelset needs, and changes nothing. Prints each finding with what mends it. Exit 1 if
 * one is a failure; a warning is none.
 */
export const doctorCommand: RunCommand = async (_words, flags, env) => {
  const entries = flags.clusters ? await RegisteredClusters.of(flags, env) : undefined;
  const all: (Finding & { readonly cluster?: string })[] = [];
  const examineOne = async (connect: () => Promise<Connected>, entry?: string): Promise<void> => {
    const label = entry === undefined ? {} : { cluster: entry };
    const findings = await findingsOf(connect, { flags, env, ...(entry !== undefined && { entry }) });
    all.push(...findings.map((one) => ({ ...label, ...one })));
    if (printsObjects(flags)) return;
    console.log(`${entry === undefined ? '' : `${entry}:\n`}${renderFindings(findings)}`);
  };
  if (!entries) await examineOne(() => connectWithLogins({ flags, env, log: commandLog(flags) }));
  else
    for (const name of flags.cluster ? [await entries.one(flags)] : await entries.names())
      await examineOne(() => entries.connect(name), name);
  if (printsObjects(flags)) await printObjects(all, flags);
  return all.some(({ level }) => level === 'failure') ? 1 : 0;
};

/** All that can be found out from here without a write, by area. What one failure hides is not asked. */
async function findingsOf(
  connect: () => Promise<Connected>,
  about: Omit<Examined, 'connected'>,
): Promise<readonly Finding[]> {
  const connected = await connect().catch(asReconcileError);
  if (isError(connected)) {
    const remedy = `correct what the message names; ${cloudSource(about)} and the flags are read again by:\nlevelset doctor`;
    return [finding('failure', 'configuration', connected.message, remedy)];
  }
  const examined = { connected, ...about };
  const found = await Promise.all([cloudSide(examined), clusterSide(examined), checkWaysIn(examined)]);
  return [
    finding('ok', 'configuration', 'flags, cloud.conf and kubeconfig can be read'),
    ...found.flat().sort((a, b) => AREAS.indexOf(a.area) - AREAS.indexOf(b.area)),
  ];
}

async function cloudSide(examined: Examined): Promise<readonly Finding[]> {
  const login = await checkKeystone(examined);
  if (login.level === 'failure') return [login, unchecked('OpenStack')];
  const { findings, alive, time } = await checkEndpoints(examined);
  const found = await Promise.all([
    checkCloudRights(examined, alive),
    checkOpenStackVersions(examined, alive),
    alive.has('network') ? checkNetworks(examined) : [],
    alive.has('load-balancer') ? checkClusterName(examined) : [],
    alive.has('network') && alive.has('load-balancer') ? checkQuotas(examined) : [],
  ]);
  return [login, ...findings, ...found.flat(), ...checkClock('OpenStack', time)];
}

async function clusterSide(examined: Examined): Promise<readonly Finding[]> {
  const { findings, user } = await checkApiserver(examined);
  const doing = 'ask whether the kube-apiserver is ready';
  const sentMs = Date.now();
  const asked = await tried(examined.connected.kubeHttp({ method: 'GET', path: '/readyz', doing }));
  const serverTimeMs = isError(asked) ? undefined : asked.serverTimeMs;
  const time = serverTimeMs === undefined ? undefined : { serverTimeMs, sentMs, answeredMs: Date.now() };
  const clock = checkClock('the kube-apiserver', time);
  if (user === undefined) return [...findings, unchecked('Kubernetes'), ...clock];
  const found = await Promise.all([checkClusterRights(examined), checkKubernetesVersion(examined)]);
  return [...findings, ...found.flat(), ...clock];
}

function unchecked(side: string): Finding {
  return finding('note', 'rights', `${side} is not asked for more: mend the login first`);
}
