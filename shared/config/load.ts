import { readFile } from 'node:fs/promises';
import { ReconcileError } from '../model/errors.ts';
import type { Access } from './clouds/access.ts';
import { loadBalancerConfig, readCloudConf, type CloudConf } from './cloud-conf/cloud-conf.ts';
import { readCloudsYaml } from './clouds/clouds-yaml.ts';
import { cidrsFlag } from './flags/cidr-flags.ts';
import type { Config } from './config.ts';
import { controllersFlag } from './controllers.ts';
import { readEnv } from './clouds/env.ts';
import { adoptFlag, countFlag, drainingFlag, durationFlag, type Flags } from './flags/flags.ts';
import { networkingConfig } from './cloud-conf/networking-options.ts';
import { nodeConfig } from './flags/node-flags.ts';
import { nodeCidrConfig } from './flags/node-cidr-flags.ts';
import { openStackConfig } from './clouds/openstack-config.ts';
import { reachConfig } from './reach.ts';
import { routeConfig } from './flags/route-flags.ts';

const REQUEST_TIMEOUT_MS = 60_000;

/**
 * The whole configuration out of flags, cloud.conf, clouds.yaml and OS_* variables. cloud.conf stands alone unless it
 * says use-clouds; then, field by field, it comes before clouds.yaml and that before OS_*. Throws CONFIG_INVALID that
 * lists every problem, one a line, and never a secret; warnings are for the log.
 */
export async function loadConfig(
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<{ readonly config: Config; readonly warnings: readonly string[] }> {
  const problems: string[] = [];
  const conf = await readConf(flags, env, problems);
  problems.push(...(conf?.problems ?? []));
  // What a file that cannot be read would have said must not be called missing.
  const sources = conf === null ? undefined : await readSources(conf, env, problems);
  const timeout = conf?.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  const openstack = sources && (await openStackConfig(sources, timeout, problems));
  const warnings = [...(conf?.warnings ?? [])];
  const controllers = controllersFlag(flags.controllers, problems);
  const clusterCidrs = cidrsFlag('cluster-cidr', flags.clusterCidr, problems);
  const own = {
    controllers,
    clusterName: flags.clusterName ?? 'kubernetes',
    ...(flags.loadBalancerClass === undefined ? {} : { loadBalancerClass: flags.loadBalancerClass }),
    namespace: flags.namespace ?? 'kube-system',
    ...adoptFlag(flags.adopt, problems),
    ...reachConfig(flags, problems),
    reconcileTimeoutMs: durationFlag('reconcile-timeout', flags.reconcileTimeout, 60_000, problems),
    sweepIntervalMs: durationFlag('sweep-interval', flags.sweepInterval, 5 * 60_000, problems),
    concurrentServiceSyncs: countFlag('concurrent-service-syncs', flags.concurrentServiceSyncs, 15, problems),
    connectionDrainingMs: drainingFlag(flags.connectionDrainingTimeout, problems),
    networking: conf?.networking ?? networkingConfig(),
    nodes: nodeConfig(
      flags,
      { regional: env['OS_CCM_REGIONAL'], region: openstack?.region },
      problems,
      warnings,
    ),
    clusterCidrs: clusterCidrs.map(({ text }) => text),
    ...routeConfig({ flags, routerId: conf?.routerId, clusterCidrs, controllers }, problems, warnings),
    ...nodeCidrConfig(flags, clusterCidrs, problems),
  };
  if (openstack === undefined || problems.length > 0) {
    throw new ReconcileError(
      'CONFIG_INVALID',
      ['the configuration cannot be used:', ...problems].join('\n  '),
    );
  }
  const loadBalancer = conf?.loadBalancer ?? loadBalancerConfig();
  const loadBalancerClasses = conf?.loadBalancerClasses ?? {};
  const given = conf?.given ?? [];
  const config = deepFreeze({ ...own, openstack, loadBalancer, loadBalancerClasses, given });
  return { config, warnings };
}

/** Undefined when there is none, null when it cannot be read. */
async function readConf(
  flags: Flags,
  env: NodeJS.ProcessEnv,
  problems: string[],
): Promise<CloudConf | null | undefined> {
  const { cloudConfig } = flags;
  const text =
    flags.cloudConfigText ?? (cloudConfig === undefined ? env['LEVELSET_CLOUD_CONFIG_TEXT'] : undefined);
  if (text !== undefined) return readCloudConf(text, 'LEVELSET_CLOUD_CONFIG_TEXT');
  if (cloudConfig === undefined) return undefined;
  try {
    return readCloudConf(await readFile(cloudConfig, 'utf8'), cloudConfig);
  } catch (error) {
    problems.push(`${cloudConfig} cannot be read: ${reasonOf(error)}`);
    return null;
  }
}

async function readSources(
  conf: CloudConf | undefined,
  env: NodeJS.ProcessEnv,
  problems: string[],
): Promise<readonly Access[] | undefined> {
  if (conf !== undefined && !conf.useClouds) return [conf.access];
  const variables = readEnv(env);
  const before = conf === undefined ? [] : [conf.access];
  const wanted = conf !== undefined || env['OS_CLOUD'] !== undefined;
  // A clouds.yaml that lies about does not stand before an environment that was set up on purpose.
  if (!wanted && variables.authUrl !== undefined) return [variables];
  try {
    const clouds = await readCloudsYaml(env, { file: conf?.cloudsFile, cloud: conf?.cloud, wanted });
    problems.push(...clouds.problems);
    return clouds.problems.length > 0 ? undefined : [...before, clouds.access, variables];
  } catch (error) {
    problems.push(`clouds.yaml cannot be read: ${reasonOf(error)}`);
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
