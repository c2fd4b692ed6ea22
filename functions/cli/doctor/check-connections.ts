import { nameOfLogin } from '../../../shared/config/clouds/credentials.ts';
import { type Credentials, looksAfterNodes, looksAfterRoutes } from '../../../shared/config/config.ts';
import { asReconcileError, isError } from '../../../shared/model/errors.ts';
import { stringAt } from '../../../shared/model/json.ts';
import type { ServiceType } from '../../../shared/openstack/openstack-http.ts';
import { finding, review, shellWord, type Examined, type Finding, type Findings } from './finding.ts';

/** Whether Keystone lets levelset in, with who it is, where, and which file says so. */
export async function checkKeystone(examined: Examined): Promise<Finding> {
  const { connected, cloudSource: file } = examined;
  const { authUrl, credentials } = connected.world.config.openstack;
  const who = examined.entry === undefined ? `${nameOfLogin(credentials)} at ${authUrl}` : 'its user';
  const got = await connected.session.projectId().catch(asReconcileError);
  if (!isError(got)) return finding('ok', 'credentials', `Keystone takes ${who} (${file}), project ${got}`);
  const { code, message, context } = got;
  if (code === 'CLOUD_UNAVAILABLE' || code === 'BUDGET_SPENT') {
    const remedy = `see whether this machine reaches it, and correct auth-url in ${file} if it is another one:\ncurl -v ${examined.entry === undefined ? shellWord(authUrl) : 'AUTH-URL'}`;
    return finding('failure', 'network', `Keystone does not answer: ${message} (${file})`, remedy);
  }
  if (context.status !== 401) {
    const remedy = `correct [Global] of ${file}: auth-url, region and the user's project`;
    return finding('failure', 'credentials', `${message} (${file})`, remedy);
  }
  const secret = credentials.type === 'password' ? 'password' : 'application-credential-secret';
  const remedy = `write the right user, project and ${secret} into [Global] of ${file}, and try them:\n${tryLogin(examined, credentials)}`;
  return finding('failure', 'credentials', `Keystone refuses ${who}: ${message} (${file})`, remedy);
}

function tryLogin({ entry, connected }: Examined, credentials: Credentials): string {
  if (entry !== undefined) return 'openstack --os-auth-url AUTH-URL --os-username USER token issue';
  const at = `openstack --os-auth-url ${shellWord(connected.world.config.openstack.authUrl)}`;
  if (credentials.type === 'application-credential')
    return `${at} --os-auth-type v3applicationcredential --os-application-credential-id ${shellWord(credentials.id ?? 'ID')} token issue`;
  const { user, project } = credentials;
  const options = (ref: typeof user, what: string, name: string): string =>
    'id' in ref
      ? `--os-${what}-id ${shellWord(ref.id)}`
      : `--os-${name} ${shellWord(ref.name)} --os-${what}-domain-name ${shellWord('id' in ref.domain ? ref.domain.id : ref.domain.name)}`;
  return `${at} ${options(user, 'user', 'username')} ${options(project, 'project', 'project-name')} token issue`;
}

export async function checkApiserver(examined: Examined): Findings {
  const file = examined.kubeSource;
  const whoami = review(examined.connected, 'authentication', 'SelfSubjectReview', 'userInfo', {
    doing: 'ask the kube-apiserver who we are',
  });
  const user = await whoami
    .then(({ userInfo }) => stringAt(userInfo, 'username') ?? '')
    .catch(asReconcileError);
  if (!isError(user)) {
    const ok = finding('ok', 'credentials', `the kube-apiserver takes ${user} (${file})`);
    return [ok, ...ofAnother(examined, user)];
  }
  const { code, message, context } = user;
  const isRefused = context.status === 401;
  const said = isRefused
    ? `the kube-apiserver refuses the credential of ${file}: ${message}`
    : `${message} (${file})`;
  const kubectl = `kubectl --kubeconfig ${shellWord(file)}`;
  const reach = `see whether this machine reaches it, and correct server in ${file} if it is another one:\n${kubectl} get --raw /readyz`;
  const renew = `write a credential that is still valid into ${file}, and try it:\n${kubectl} auth whoami`;
  const isSilent = code === 'KUBE_UNAVAILABLE' || code === 'BUDGET_SPENT';
  if (isSilent) return [finding('failure', 'network', said, reach)];
  return [finding('failure', 'credentials', said, renew)];
}

/** The rights of an administrator say nothing of those of levelset. */
function ofAnother({ connected }: Examined, user: string): readonly Finding[] {
  const own = `system:serviceaccount:${connected.world.config.serviceAccount.replace('/', ':')}`;
  if (user === own) return [];
  const what = `the rights below are those of ${user}; levelset in the cluster runs as ${own} (--service-account)`;
  return [finding('note', 'credentials', what, `kubectl auth can-i --list --as=${shellWord(own)}`)];
}

/** Whether the catalog's endpoints answer from here. Adds those that do to `alive`: what a silent one would say is not asked. */
export async function checkEndpoints(examined: Examined, alive: Set<ServiceType>): Findings {
  const { session, world } = examined.connected;
  const hasServers = looksAfterNodes(world.config) || looksAfterRoutes(world.config);
  /** @param without who needs the service; empty: levelset cannot work without it */
  const check = async (service: ServiceType, without = ''): Promise<Finding> => {
    const listed = await session.requireService(service).catch(asReconcileError);
    if (isError(listed) && without !== '')
      return finding('note', 'network', `there is no ${service} in Keystone's catalog; ${without}`);
    if (isError(listed)) {
      const remedy = `name the region and the interface of the endpoint in [Global] of ${examined.cloudSource}:\nopenstack catalog show ${service}`;
      return finding('failure', 'network', listed.message, remedy);
    }
    const url = examined.entry === undefined ? listed : `the endpoint of ${service}`;
    const attempted = `read the versions of ${service}`;
    const request = { service, method: 'GET', path: '/', attempted } as const;
    const answer = await session.send(request).catch(asReconcileError);
    if (!isError(answer) && answer.status < 500) {
      alive.add(service);
      return finding('ok', 'network', `${service} answers at ${url}`);
    }
    const why = isError(answer) ? answer.message : `HTTP ${answer.status}`;
    const remedy = `see whether this machine reaches it; region and interface in [Global] of ${examined.cloudSource} choose the endpoint:\ncurl -v ${examined.entry === undefined ? shellWord(url) : 'URL'}\nopenstack catalog show ${service}`;
    const what = `${service} does not answer at ${url}: ${why}`;
    return finding(without === '' ? 'failure' : 'warning', 'network', what, remedy);
  };
  return Promise.all([
    check('load-balancer'),
    check('network'),
    check('compute', hasServers ? '' : 'only the controllers of Nodes and routes need it'),
    check('key-manager', 'only TLS listeners need it'),
  ]);
}
