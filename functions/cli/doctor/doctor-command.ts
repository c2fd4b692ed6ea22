import { asReconcileError, isError } from '../../../shared/model/errors.ts';
import type { ServiceType } from '../../../shared/openstack/openstack-http.ts';
import { connectWithLogins } from '../../connect-with-logins.ts';
import type { Connected } from '../../world.ts';
import { RegisteredClusters } from '../registered-clusters.ts';
import { commandLog, printObjects, printsObjects, type RunCommand } from '../command.ts';
import { checkApiserver, checkEndpoints, checkKeystone } from './check-connections.ts';
import { checkClusterName, checkNetworks, checkQuotas } from './check-project.ts';
import { checkCloudRights, checkClusterRights } from './check-rights.ts';
import { checkExtensions, checkKubernetesVersion, checkOctavia, checkProvider } from './check-versions.ts';
import { checkWaysIn } from './check-ways-in.ts';
import { AREAS, cloudSource, finding, kubeSource, renderFindings } from './finding.ts';
import type { Examined, Finding, Findings } from './finding.ts';

/** `levelset doctor`: of each cluster its findings, with what mends them. */
export const doctorCommand: RunCommand = async (_words, flags, env) => {
  const entries = flags.clusters ? await RegisteredClusters.of(flags, env) : undefined;
  const all: (Finding & { readonly cluster?: string })[] = [];
  const examineOne = async (connect: () => Promise<Connected>, entry?: string): Promise<void> => {
    const label = entry === undefined ? {} : { cluster: entry };
    const about = { flags, env, ...(entry !== undefined && { entry }) };
    const findings = await findingsOf(connect, {
      ...about,
      cloudSource: cloudSource(about),
      kubeSource: kubeSource(about),
    });
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
async function findingsOf(connect: () => Promise<Connected>, about: Omit<Examined, 'connected'>): Findings {
  const connected = await connect().catch(asReconcileError);
  if (isError(connected)) {
    const remedy = `correct what the message names; ${about.cloudSource} and the flags are read again by:\nlevelset doctor`;
    return [finding('failure', 'configuration', connected.message, remedy)];
  }
  const examined = { connected, ...about };
  const found = await Promise.all([cloudSide(examined), clusterSide(examined), checkWaysIn(examined)]);
  return [
    finding('ok', 'configuration', 'flags, cloud.conf and kubeconfig can be read'),
    ...found.flat().sort((a, b) => AREAS.indexOf(a.area) - AREAS.indexOf(b.area)),
  ];
}

async function cloudSide(examined: Examined): Findings {
  const login = await checkKeystone(examined);
  if (login.level === 'failure') return [login, unchecked('OpenStack')];
  const alive = new Set<ServiceType>();
  const endpoints = await checkEndpoints(examined, alive);
  const [hasOctavia, hasNeutron] = [alive.has('load-balancer'), alive.has('network')];
  const found = await Promise.all([
    checkCloudRights(examined, alive),
    hasOctavia ? checkOctavia(examined) : [],
    hasOctavia ? checkProvider(examined) : [],
    hasNeutron ? checkExtensions(examined) : [],
    hasNeutron ? checkNetworks(examined) : [],
    hasOctavia ? checkClusterName(examined) : [],
    hasNeutron && hasOctavia ? checkQuotas(examined) : [],
  ]);
  return [login, ...endpoints, ...found.flat()];
}

async function clusterSide(examined: Examined): Findings {
  const login = await checkApiserver(examined);
  if (login.some(({ level }) => level === 'failure')) return [...login, unchecked('Kubernetes')];
  const found = await Promise.all([checkClusterRights(examined), checkKubernetesVersion(examined)]);
  return [...login, ...found.flat()];
}

function unchecked(side: string): Finding {
  return finding('note', 'rights', `${side} is not asked for more: mend the login first`);
}
