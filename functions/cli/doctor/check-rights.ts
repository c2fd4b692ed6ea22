import { CLUSTER_RIGHTS, type ClusterRight } from '../../../infra/kubernetes/rights.ts';
import { CLOUD_RIGHTS, type CloudRight } from '../../../infra/openstack/rights.ts';
import { looksAfterNodes, looksAfterRoutes } from '../../../shared/config/config.ts';
import { asReconcileError, isError, ReconcileError } from '../../../shared/model/errors.ts';
import { isRecord } from '../../../shared/model/json.ts';
import { inParallel } from '../../../shared/observe/reads.ts';
import type { ServiceType } from '../../../shared/openstack/openstack-http.ts';
import { finding, review, shellWord, type Examined, type Finding, type Findings } from './finding.ts';

/** No object has this id: a call that names it is refused for the right, or answered 404. */
const NOBODY = '00000000-0000-4000-8000-000000000000';

/** Rules without which levelset goes on, or that only one annotation needs. */
const FOR_SOME = /failover$|\/qos\/|\/flavors|\/availabilityzones|\/l7policies|^\/v1\//;

/** Makes the calls that read. Of those that write, access rules of an application credential tell; roles alone tell nothing without a write. */
export async function checkCloudRights(examined: Examined, alive: ReadonlySet<ServiceType>): Findings {
  const { session, world } = examined.connected;
  const hasServers = looksAfterNodes(world.config) || looksAfterRoutes(world.config);
  const asked = CLOUD_RIGHTS.filter(({ password, service }) => !password && alive.has(service));
  const forServers = ({ service, path }: CloudRight): boolean =>
    service === 'compute' || /\/(routers|extensions)/.test(path);
  const rules = asked.filter((rule) => hasServers || !forServers(rule));
  const listed = await session.missingRules(rules).catch(asReconcileError);
  if (isError(listed)) return [];
  const missing = new Set<object>(listed);
  const reading = rules.filter(({ method }) => method === 'GET');
  const project = await session.projectId();
  const tries = reading.filter((rule) => !missing.has(rule)).map((rule) => tryRule(rule, project, examined));
  const what = `the ${rules.length - reading.length} calls that write are not tried; the roles of the user decide`;
  const remedy =
    'member is needed, and for an older Octavia load-balancer_member, which alone is not enough for a newer one:\nopenstack role assignment list --user USER --project PROJECT --names';
  const lacks = 'the application credential lacks the access rule';
  const another = `make another application credential, with all roles that levelset has, whose id and secret go into [Global] of ${examined.cloudSource}:\nopenstack application credential create levelset-2 --role member --access-rules infra/openstack/access-rules.json`;
  return [
    finding('ok', 'rights', `OpenStack was asked for ${tries.length} calls that read`),
    ...(listed === undefined ? [finding('note', 'rights', what, remedy)] : []),
    ...rules.filter((rule) => missing.has(rule)).map((rule) => about(rule, lacks, ':', another)),
    ...(await Promise.all(tries)).flat(),
  ];
}

/** @param before what is wrong with the call, which follows; @param after what follows the call */
function about(rule: CloudRight, before: string, after: string, remedy: string): Finding {
  const { service, method, path, why } = rule;
  const what = `${before} ${JSON.stringify({ service, method, path })}${after} levelset ${why}`;
  return finding(FOR_SOME.test(path) ? 'warning' : 'failure', 'rights', what, remedy);
}

async function tryRule(rule: CloudRight, project: string, examined: Examined): Findings {
  const { service, method, path } = rule;
  const lists = !path.includes('*');
  const isServers = path.startsWith('/v2.1/servers');
  const id = isServers ? 'detail' : path.includes('/quotas/') ? project : NOBODY;
  const real = path.replaceAll('*', id) + (lists || isServers ? '?limit=1' : ''); // Octavia answers 400 to it where there is one object
  const attempted = `${method} ${path} of ${service}`;
  const { session } = examined.connected;
  const answer = await session.read({ service, path: real, attempted }).catch(asReconcileError);
  const isWhole = isRecord(answer) && (!lists || Object.values(answer).some(Array.isArray));
  if (isWhole && !isError(answer)) return [];
  const notJson = `${attempted}: HTTP 200, but the answer is not the JSON that levelset expects`;
  const { code, message, context } = isError(answer)
    ? answer
    : new ReconcileError('UNEXPECTED_RESPONSE', notJson, { status: 200 });
  const isOfId = code === 'GONE' || code === 'NOT_FOUND' || message.includes(NOBODY);
  if (real.includes(NOBODY) && isOfId) return []; // no object has the id
  if (context.status === 404 && FOR_SOME.test(path)) return []; // an older release has no such path
  const told = (does: string, remedy: string): readonly Finding[] => [
    about(rule, `OpenStack ${does} the call`, `: ${message};`, remedy),
  ];
  if (code === 'UNAUTHORIZED' || code === 'FORBIDDEN') return told('refuses', giveRoles(service, project));
  const again = `run levelset doctor again; if the call fails again, whoever runs the cloud finds it in the log of ${service}`;
  if (context.status === undefined || context.status >= 500) return told('does not answer', again);
  const look = `see what answers there, and ask whoever runs the cloud to correct the endpoint, or the proxy in front of it:\nopenstack catalog show ${service}`;
  return told('does not serve', look);
}

function giveRoles(service: CloudRight['service'], project: string): string {
  const more = service === 'load-balancer' ? ['load-balancer_member'] : [];
  const roles = [service === 'key-manager' ? 'creator' : 'member', ...more];
  const add = `openstack role add --user USER --project ${shellWord(project)}`;
  const commands = roles.map((role) => `${add} ${role}`);
  return `give the user the role that allows it (creator for certificates; for all else member, and for an older Octavia load-balancer_member):\n${commands.join('\n')}`;
}

const AT_ONCE = 8;

/** What needs a manifest that not every deployment applies. */
const FOR_WHAT: Readonly<Record<string, string>> = {
  'rbac-pods': 'Services with allocateLoadBalancerNodePorts: false',
  'rbac-watch': '--watch',
  'rbac-clusters': '--clusters=secrets',
  'tls-secrets.example': 'namespaces whose Services have the annotation tls-secret',
};

/** Every right in Kubernetes by a SelfSubjectAccessReview, which every account may create. */
export async function checkClusterRights(examined: Examined): Findings {
  const { config } = examined.connected.world;
  const answers = await inParallel(CLUSTER_RIGHTS, AT_ONCE, (right) =>
    mayDo(right, examined).catch(asReconcileError),
  );
  const failed = answers.find(isError);
  if (failed !== undefined) {
    const remedy = 'run levelset doctor again when the kube-apiserver answers:\nkubectl get --raw /readyz';
    const what = `cannot ask for the rights in Kubernetes: ${failed.message}`;
    return [finding('failure', 'rights', what, remedy)];
  }
  const missing = CLUSTER_RIGHTS.filter((_, at) => answers[at] === false);
  const hasNodes = looksAfterNodes(config) || looksAfterRoutes(config);
  const needed = ({ manifest }: ClusterRight): boolean =>
    manifest === 'rbac' || (manifest === 'rbac-nodes' && hasNodes);
  const lacking = (right: ClusterRight): Finding => {
    const what = `Kubernetes does not grant ${inWords(right, config.stateNamespace)}: levelset ${right.why}`;
    const remedy = `with the Helm chart upgrade the release; without it:\nkubectl -n ${config.stateNamespace} apply -f infra/kubernetes/${right.manifest}.yaml`;
    return finding('failure', 'rights', what, remedy);
  };
  const granted = CLUSTER_RIGHTS.length - missing.length;
  const others = Object.entries(FOR_WHAT).filter(([name]) =>
    missing.some(({ manifest }) => manifest === name),
  );
  return [
    finding('ok', 'rights', `Kubernetes grants ${granted} of ${CLUSTER_RIGHTS.length} rights`),
    ...missing.filter(needed).map(lacking),
    ...others
      .map(([name, what]) => `infra/kubernetes/${name}.yaml are not granted; only these need them: ${what}`)
      .map((what) => finding('note', 'rights', `the rights of ${what}`)),
  ];
}

async function mayDo(right: ClusterRight, { connected }: Examined): Promise<boolean> {
  const [type = '', subresource] = right.resource.split('/');
  const [resource, ...group] = type.split('.');
  const namespace = right.namespace === 'levelset' ? connected.world.config.stateNamespace : right.namespace;
  const asked = { resource, subresource, group: group.join('.'), name: right.name?.replace(/-N$/, '-0') };
  const spec = { resourceAttributes: { verb: right.verb, namespace, ...asked } };
  const kind = 'SelfSubjectAccessReview';
  const about = { doing: 'ask the kube-apiserver what we may do', spec };
  const { allowed, denied } = await review(connected, 'authorization', kind, 'allowed', about);
  return allowed === true && denied !== true;
}

function inWords({ verb, resource, name, namespace }: ClusterRight, stateNamespace: string): string {
  const where = namespace === 'levelset' ? stateNamespace : namespace;
  return `${verb} ${resource}${name === undefined ? '' : ` ${name}`}${where === undefined ? '' : ` in ${where}`}`;
}
