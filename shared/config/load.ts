import { stat } from 'node:fs/promises';
import { errorText, ReconcileError } from '../model/errors.ts';
import { readNamedFile } from '../named-file.ts';
import { readCloudConf, type CloudConf } from './cloud-conf/cloud-conf.ts';
import { hasSecret, readEnv, type Access } from './clouds/access.ts';
import { readCloudsYaml } from './clouds/clouds-yaml.ts';
import { openStackConfig } from './clouds/openstack-config.ts';
import type { Config, NodeConfig } from './config.ts';
import { readFlags, type Flags, type FlagValues } from './read-flags.ts';

/**
 * The whole configuration: flags, cloud.conf, clouds.yaml and OS_* variables. With cloud.conf the other two count
 * only if it says use-clouds. Throws CONFIG_INVALID with every problem, one a line, and no secret. `secretFrom` names
 * the file or variables with the password.
 */
export async function loadConfig(
  flags: Flags,
  given: NodeJS.ProcessEnv,
): Promise<{ readonly config: Config; readonly warnings: readonly string[]; readonly secretFrom: string }> {
  const env = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== ''));
  const problems: string[] = [];
  const conf = await readConf(flags, env, problems);
  problems.push(...(conf?.problems ?? []));
  // While cloud.conf cannot be read, nothing can be called missing: the file may have it.
  const sources = conf === null ? undefined : await readSources(conf, flags, env, problems);
  const timeout = (conf ?? NO_CONF).metadata.requestTimeout;
  const access = sources?.map((source) => source.access);
  const openstack = access && (await openStackConfig(access, timeout, env, problems));
  const warnings = [...(conf?.warnings ?? [])];
  if (openstack?.tlsInsecure)
    warnings.push(
      'tls-insecure: certificates of OpenStack are not checked, and whoever is on the way can read the password; give ca-file instead',
    );
  if (await isReadByAll(flags.cloudConfig))
    warnings.push(
      `${flags.cloudConfig ?? ''} has a password, and every user of this machine can read it: chmod 600`,
    );
  const own = clusterConfig(flags, env, { conf, region: openstack?.region, problems, warnings });
  if (openstack === undefined || problems.length > 0) throw unusable(problems);
  const secretFrom = sources?.find((source) => hasSecret(source.access))?.from ?? '';
  return { config: deepFreeze({ ...own, openstack }), warnings, secretFrom };
}

/** What `loadConfig` reads, without how OpenStack is reached: nothing needs to be there of that. */
export async function loadWithoutCloud(
  flags: Flags,
  env: NodeJS.ProcessEnv,
): Promise<Omit<Config, 'openstack'>> {
  const problems: string[] = [];
  const conf = await readConf(flags, env, problems);
  problems.push(...(conf?.problems ?? []));
  const config = clusterConfig(flags, env, { conf, region: undefined, problems, warnings: [] });
  if (problems.length > 0) throw unusable(problems);
  return deepFreeze(config);
}

function unusable(problems: readonly string[]): ReconcileError {
  return new ReconcileError(
    'CONFIG_INVALID',
    ['the configuration cannot be used:', ...problems].join('\n  '),
  );
}

interface Read {
  readonly conf: CloudConf | null | undefined;
  readonly region: string | undefined;
  readonly problems: string[];
  readonly warnings: string[];
}

function clusterConfig(
  flags: Flags,
  env: NodeJS.ProcessEnv,
  { conf, region, problems, warnings }: Read,
): Omit<Config, 'openstack'> {
  const values = readFlags(flags, problems);
  const { loadBalancer, loadBalancerClasses, given, networking, route } = conf ?? NO_CONF;
  return {
    controllers: values.controllers,
    clusterName: values.clusterName,
    stateNamespace: values.stateNamespace,
    serviceAccount: values.serviceAccount,
    ...(values.loadBalancerClass === undefined ? {} : { loadBalancerClass: values.loadBalancerClass }),
    ...(values.serviceLimits === 1 ? {} : { serviceLimits: values.serviceLimits }),
    ...(values.drift === 'repair' ? {} : { drift: values.drift }),
    ...(values.reach === 'open' ? {} : { reach: values.reach }),
    ...(values.allowedReferences.length === 0 ? {} : { allowedReferences: values.allowedReferences }),
    reconcileTimeoutMs: values.reconcileTimeout,
    sweepIntervalMs: values.sweepInterval,
    concurrentServiceSyncs: values.concurrentServiceSyncs,
    concurrentLoadBalancers: values.concurrentLoadBalancers,
    networking,
    deletionPercent: values.deletionShare,
    orphanDelayMs: values.orphanDelay,
    nodes: nodeConfig(values, env, region, warnings),
    clusterCidrs: values.clusterCidr.map(({ text }) => text),
    ...routeConfig(flags, values, route.routerId, warnings),
    loadBalancer,
    loadBalancerClasses,
    given,
  };
}

/** Of OS_CCM_REGIONAL only `true` counts, as with OCCM. */
function nodeConfig(
  values: FlagValues,
  env: NodeJS.ProcessEnv,
  region: string | undefined,
  warnings: string[],
): NodeConfig {
  const isRegional = values.regionalProviderId ?? env['OS_CCM_REGIONAL'] === 'true';
  if (isRegional && region === undefined) {
    const said = values.regionalProviderId ? '--regional-provider-id' : 'OS_CCM_REGIONAL';
    warnings.push(`${said} has no effect: there is no region ([Global] region, OS_REGION_NAME)`);
  }
  return {
    regionalProviderID: isRegional && region !== undefined,
  };
}

/** Routes need a router, a cluster CIDR and their controller. A flag or option without effect adds a warning. */
function routeConfig(
  flags: Flags,
  values: FlagValues,
  routerId: string | undefined,
  warnings: string[],
): Pick<Config, 'route'> {
  if (!values.configureCloudRoutes || !values.controllers.includes('node-route-controller')) return {};
  if (routerId === undefined) {
    if (flags.configureCloudRoutes !== undefined)
      warnings.push('--configure-cloud-routes has no effect: [Route] router-id names no router');
    return {};
  }
  if (values.clusterCidr.length > 0) return { route: { routerId } };
  if ((flags.clusterCidr ?? '') === '')
    warnings.push(
      '[Route] router-id has no effect without --cluster-cidr: levelset makes and deletes no routes',
    );
  return {};
}

async function isReadByAll(file: string | undefined): Promise<boolean> {
  const found = file === undefined ? undefined : await stat(file).catch(() => undefined);
  return found !== undefined && (found.mode & 0o004) !== 0;
}

const NO_CONF = readCloudConf('', '');

async function readConf(
  flags: Flags,
  env: NodeJS.ProcessEnv,
  problems: string[],
): Promise<CloudConf | null | undefined> {
  const { cloudConfig } = flags;
  const text = env['LEVELSET_CLOUD_CONFIG_TEXT'] ?? '';
  if (cloudConfig === undefined)
    return text === '' ? undefined : readCloudConf(text, 'LEVELSET_CLOUD_CONFIG_TEXT');
  try {
    return readCloudConf(await readNamedFile('--cloud-config', cloudConfig), cloudConfig);
  } catch (error) {
    problems.push(errorText(error));
    return null;
  }
}

interface Source {
  readonly access: Access;
  readonly from: string;
}

async function readSources(
  conf: CloudConf | undefined,
  { cloudConfig = 'LEVELSET_CLOUD_CONFIG_TEXT' }: Flags,
  env: NodeJS.ProcessEnv,
  problems: string[],
): Promise<readonly Source[] | undefined> {
  const before = conf === undefined ? [] : [{ access: conf.access, from: cloudConfig }];
  if (conf !== undefined && !conf.global.useClouds) return before;
  const variables = { access: readEnv(env), from: 'the variables OS_*' };
  const wanted = conf !== undefined || env['OS_CLOUD'] !== undefined;
  // Without cloud.conf and OS_CLOUD nobody named a cloud. OS_AUTH_URL, which somebody set on purpose, then
  // counts alone.
  if (!wanted && variables.access.authUrl !== undefined) return [variables];
  try {
    const { global: { cloudsFile: file, cloud } = NO_CONF.global, access: above } = conf ?? {};
    const clouds = await readCloudsYaml(env, { file, cloud, above, wanted });
    problems.push(...clouds.problems);
    return clouds.problems.length > 0 ? undefined : [...before, clouds, variables];
  } catch (error) {
    problems.push(errorText(error));
    return undefined;
  }
}

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(deepFreeze);
    Object.freeze(value);
  }
  return value;
}
