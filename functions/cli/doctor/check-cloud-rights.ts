import { CLOUD_RIGHTS, type CloudRight } from '../../../infra/openstack/rights.ts';
import { looksAfterNodes, looksAfterRoutes } from '../../../shared/config/controllers.ts';
import type { ServiceType } from '../../../shared/openstack/openstack-http.ts';
import { cloudSource, tried, type Examined } from './examined.ts';
import type { Finding } from './finding.ts';
import { shellWord } from './shell-word.ts';

/** No object has this id: a call that names it is refused for the right, or answered 404. */
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** Rules without which levelset goes on, or that only one annotation needs. */
const FOR_SOME = /failover$|\/qos\/|\/flavors|\/availabilityzones|\/l7policies|^\/v1\//;

const RULES = CLOUD_RIGHTS.filter(({ password }) => !password);

/**
 * The calls to OpenStack, one by one. Those that read are made; of those that write, the access rules of an application credential
 * say whether they may be. Of a user with roles alone nobody can say it without writing.
 */
export async function checkCloudRights(
  examined: Examined,
  alive: ReadonlySet<ServiceType>,
): Promise<readonly Finding[]> {
  const { session, world } = examined.connected;
  const rules = RULES.filter((rule) => alive.has(rule.service) && isNeeded(rule, world.config));
  const listed = await tried(() => session.missingRules(rules));
  if ('error' in listed) return [];
  const missing = new Set<object>(listed.value ?? []);
  const reading = rules.filter(({ method }) => method === 'GET');
  const project = await session.projectId();
  const tries = reading.filter((rule) => !missing.has(rule)).map((rule) => tryRule(rule, project, examined));
  const wrong = [
    ...rules.filter((rule) => missing.has(rule)).map((rule) => lackingRule(rule, examined)),
    ...(await Promise.all(tries)).flat(),
  ];
  return [
    { area: 'rights', level: 'ok', what: `OpenStack was asked for ${tries.length} calls that read` },
    ...(listed.value === undefined ? [untried(rules.length - reading.length)] : []),
    ...wrong,
  ];
}

function isNeeded({ service, path }: CloudRight, config: Examined['connected']['world']['config']): boolean {
  if (looksAfterNodes(config) || looksAfterRoutes(config)) return true;
  return service !== 'compute' && !/\/(routers|extensions)/.test(path);
}

function lackingRule(rule: CloudRight, examined: Examined): Finding {
  const { service, method, path, why } = rule;
  return {
    area: 'rights',
    level: FOR_SOME.test(path) ? 'warning' : 'failure',
    what: `the application credential lacks the access rule ${JSON.stringify({ service, method, path })}: levelset ${why}`,
    remedy: `make another application credential, whose id and secret go into [Global] of ${cloudSource(examined)}:\nopenstack application credential create levelset-2 --role load-balancer_member --role member --access-rules infra/openstack/access-rules.json`,
  };
}

function untried(writing: number): Finding {
  const what = `the ${writing} calls that write are not tried; the roles of the user decide`;
  const remedy =
    'load-balancer_member and member are needed:\nopenstack role assignment list --user USER --project PROJECT --names';
  return { area: 'rights', level: 'note', what, remedy };
}

async function tryRule(rule: CloudRight, project: string, examined: Examined): Promise<readonly Finding[]> {
  const { service, method, path, why } = rule;
  const isList = !path.endsWith('*');
  const id = path.includes('/quotas/') ? project : NOBODY;
  const real =
    path.replaceAll('*', path.startsWith('/v2.1/servers') ? 'detail' : id) +
    (isList || path.startsWith('/v2.1/servers') ? '?limit=1' : '');
  const attempted = `${method} ${path} of ${service}`;
  const answer = await tried(() => examined.connected.session.read({ service, path: real, attempted }));
  if ('value' in answer) return [];
  const { message: said, context } = answer.error;
  const isRefused = context.status === 401 || context.status === 403;
  const isAnswer = context.status !== undefined && context.status < 500;
  if (isAnswer && !isRefused) return []; // such as a 404 for the id that no object has
  return [
    {
      area: 'rights',
      level: FOR_SOME.test(path) ? 'warning' : 'failure',
      what: `OpenStack ${isRefused ? 'refuses' : 'does not answer'} the call ${JSON.stringify({ service, method, path })}: ${said}; levelset ${why}`,
      remedy: isRefused
        ? `give the user the role that allows it (load-balancer_member and member; creator for certificates):\nopenstack role add --user USER --project ${shellWord(project)} ${service === 'load-balancer' ? 'load-balancer_member' : service === 'key-manager' ? 'creator' : 'member'}`
        : `run levelset doctor again; if the call fails again, whoever runs the cloud finds it in the log of ${service}`,
    },
  ];
}
