import { CLOUD_RIGHTS, type CloudRight } from '../../../infra/openstack/rights.ts';
import { looksAfterNodes, looksAfterRoutes } from '../../../shared/config/controllers.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { isRecord } from '../../../shared/model/json.ts';
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
    remedy: `make another application credential, with all roles that levelset has, whose id and secret go into [Global] of ${cloudSource(examined)}:\nopenstack application credential create levelset-2 --role member --access-rules infra/openstack/access-rules.json`,
  };
}

function untried(writing: number): Finding {
  const what = `the ${writing} calls that write are not tried; the roles of the user decide`;
  const remedy =
    'member is needed, and for an older Octavia load-balancer_member, which alone is not enough for a newer one:\nopenstack role assignment list --user USER --project PROJECT --names';
  return { area: 'rights', level: 'note', what, remedy };
}

const notJson = (attempted: string): ReconcileError =>
  new ReconcileError(
    'UNEXPECTED_RESPONSE',
    `${attempted}: HTTP 200, but the answer is no JSON as it has to be`,
    { status: 200 },
  );

async function tryRule(rule: CloudRight, project: string, examined: Examined): Promise<readonly Finding[]> {
  const { service, method, path, why } = rule;
  const lists = !path.includes('*');
  const id = path.includes('/quotas/') ? project : NOBODY;
  const real =
    path.replaceAll('*', path.startsWith('/v2.1/servers') ? 'detail' : id) +
    (lists || path.startsWith('/v2.1/servers') ? '?limit=1' : ''); // Octavia answers 400 to it where there is one object
  const attempted = `${method} ${path} of ${service}`;
  const answer = await tried(() => examined.connected.session.read({ service, path: real, attempted }));
  const isWhole = (body: unknown): boolean =>
    isRecord(body) && (!lists || Object.values(body).some(Array.isArray));
  if ('value' in answer && isWhole(answer.value)) return [];
  const { code, message: said, context } = 'error' in answer ? answer.error : notJson(attempted);
  const isOfId = code === 'GONE' || code === 'NOT_FOUND' || said.includes(NOBODY);
  if (real.includes(NOBODY) && isOfId) return []; // no object has the id
  if (context.status === 404 && FOR_SOME.test(path)) return []; // an older release has no such path
  const isRefused = code === 'UNAUTHORIZED' || code === 'FORBIDDEN';
  const isForeign = context.status !== undefined && context.status < 500;
  return [
    {
      area: 'rights',
      level: FOR_SOME.test(path) ? 'warning' : 'failure',
      what: `OpenStack ${isRefused ? 'refuses' : isForeign ? 'does not serve' : 'does not answer'} the call ${JSON.stringify({ service, method, path })}: ${said}; levelset ${why}`,
      remedy: isRefused
        ? `give the user the role that allows it (creator for certificates; for all else member, and for an older Octavia load-balancer_member):\n${rolesOf(
            service,
          )
            .map((role) => `openstack role add --user USER --project ${shellWord(project)} ${role}`)
            .join('\n')}`
        : isForeign
          ? `see what answers there, and have whoever runs the cloud correct the endpoint or what stands before it:\nopenstack catalog show ${service}`
          : `run levelset doctor again; if the call fails again, whoever runs the cloud finds it in the log of ${service}`,
    },
  ];
}

function rolesOf(service: CloudRight['service']): readonly string[] {
  if (service === 'key-manager') return ['creator'];
  return service === 'load-balancer' ? ['member', 'load-balancer_member'] : ['member'];
}
