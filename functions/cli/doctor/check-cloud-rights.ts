import { CLOUD_RIGHTS, type CloudRight } from '../../../infra/openstack/rights.ts';
import { looksAfterNodes, looksAfterRoutes } from '../../../shared/config/controllers.ts';
import { isError, ReconcileError } from '../../../shared/model/errors.ts';
import { isRecord } from '../../../shared/model/json.ts';
import type { ServiceType } from '../../../shared/openstack/openstack-http.ts';
import { cloudSource, tried, type Examined } from './examined.ts';
import { finding, shellWord, type Finding } from './finding.ts';

/** No object has this id: a call that names it is refused for the right, or answered 404. */
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** Rules without which levelset goes on, or that only one annotation needs. */
const FOR_SOME = /failover$|\/qos\/|\/flavors|\/availabilityzones|\/l7policies|^\/v1\//;

/**
 * The calls to OpenStack, one by one. Those that read are made; of those that write, the access rules of an application credential
 * say whether they may be. Of a user with roles alone nobody can say it without writing.
 */
export async function checkCloudRights(
  examined: Examined,
  alive: ReadonlySet<ServiceType>,
): Promise<readonly Finding[]> {
  const { session, world } = examined.connected;
  const hasServers = looksAfterNodes(world.config) || looksAfterRoutes(world.config);
  const isNeeded = ({ service, path }: CloudRight): boolean =>
    hasServers || (service !== 'compute' && !/\/(routers|extensions)/.test(path));
  const all = CLOUD_RIGHTS.filter(({ password, service }) => !password && alive.has(service));
  const rules = all.filter(isNeeded);
  const listed = await tried(session.missingRules(rules));
  if (isError(listed)) return [];
  const missing = new Set<object>(listed);
  const reading = rules.filter(({ method }) => method === 'GET');
  const project = await session.projectId();
  const tries = reading.filter((rule) => !missing.has(rule)).map((rule) => tryRule(rule, project, examined));
  const what = `the ${rules.length - reading.length} calls that write are not tried; the roles of the user decide`;
  const remedy =
    'member is needed, and for an older Octavia load-balancer_member, which alone is not enough for a newer one:\nopenstack role assignment list --user USER --project PROJECT --names';
  return [
    finding('ok', 'rights', `OpenStack was asked for ${tries.length} calls that read`),
    ...(listed === undefined ? [finding('note', 'rights', what, remedy)] : []),
    ...rules.filter((rule) => missing.has(rule)).map((rule) => lackingRule(rule, examined)),
    ...(await Promise.all(tries)).flat(),
  ];
}

function about(rule: CloudRight, what: (call: string) => string, remedy: string): Finding {
  const { service, method, path, why } = rule;
  const told = `${what(JSON.stringify({ service, method, path }))}levelset ${why}`;
  return finding(FOR_SOME.test(path) ? 'warning' : 'failure', 'rights', told, remedy);
}

function lackingRule(rule: CloudRight, examined: Examined): Finding {
  return about(
    rule,
    (call) => `the application credential lacks the access rule ${call}: `,
    `make another application credential, with all roles that levelset has, whose id and secret go into [Global] of ${cloudSource(examined)}:\nopenstack application credential create levelset-2 --role member --access-rules infra/openstack/access-rules.json`,
  );
}

async function tryRule(rule: CloudRight, project: string, examined: Examined): Promise<readonly Finding[]> {
  const { service, method, path } = rule;
  const lists = !path.includes('*');
  const isServers = path.startsWith('/v2.1/servers');
  const id = isServers ? 'detail' : path.includes('/quotas/') ? project : NOBODY;
  const real = path.replaceAll('*', id) + (lists || isServers ? '?limit=1' : ''); // Octavia answers 400 to it where there is one object
  const attempted = `${method} ${path} of ${service}`;
  const answer = await tried(examined.connected.session.read({ service, path: real, attempted }));
  if (isRecord(answer) && !isError(answer) && (!lists || Object.values(answer).some(Array.isArray)))
    return [];
  const { code, message, context } = isError(answer) ? answer : notJson(attempted);
  const isOfId = code === 'GONE' || code === 'NOT_FOUND' || message.includes(NOBODY);
  if (real.includes(NOBODY) && isOfId) return []; // no object has the id
  if (context.status === 404 && FOR_SOME.test(path)) return []; // an older release has no such path
  const isForeign = context.status !== undefined && context.status < 500;
  const [does, remedy] =
    code === 'UNAUTHORIZED' || code === 'FORBIDDEN'
      ? ['refuses', giveRoles(service, project)]
      : isForeign
        ? [
            'does not serve',
            `see what answers there, and have whoever runs the cloud correct the endpoint or what stands before it:\nopenstack catalog show ${service}`,
          ]
        : [
            'does not answer',
            `run levelset doctor again; if the call fails again, whoever runs the cloud finds it in the log of ${service}`,
          ];
  return [about(rule, (call) => `OpenStack ${does} the call ${call}: ${message}; `, remedy)];
}

function notJson(attempted: string): ReconcileError {
  const message = `${attempted}: HTTP 200, but the answer is no JSON as it has to be`;
  return new ReconcileError('UNEXPECTED_RESPONSE', message, { status: 200 });
}

function giveRoles(service: CloudRight['service'], project: string): string {
  const needed = service === 'key-manager' ? ['creator'] : ['member'];
  const roles = service === 'load-balancer' ? [...needed, 'load-balancer_member'] : needed;
  const commands = roles.map(
    (role) => `openstack role add --user USER --project ${shellWord(project)} ${role}`,
  );
  return `give the user the role that allows it (creator for certificates; for all else member, and for an older Octavia load-balancer_member):\n${commands.join('\n')}`;
}
