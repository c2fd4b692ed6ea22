import type { Credentials } from '../../../shared/config/config.ts';
import { looksAfterNodes, looksAfterRoutes } from '../../../shared/config/controllers.ts';
import { fieldsOf, stringAt } from '../../../shared/model/json.ts';
import type { ServiceType } from '../../../shared/openstack/openstack-http.ts';
import { cloudSource, kubeSource, noApiserver, tried, type Examined } from './examined.ts';
import type { Finding } from './finding.ts';
import { shellWord } from './shell-word.ts';

/** Whether Keystone lets levelset in, with who it is, where, and which file says so. */
export async function checkKeystone(examined: Examined): Promise<readonly Finding[]> {
  const { authUrl, credentials } = examined.connected.world.config.openstack;
  const file = cloudSource(examined);
  const who = examined.entry === undefined ? `${nameOf(credentials)} at ${authUrl}` : 'its user';
  const got = await tried(() => examined.connected.session.projectId());
  if ('value' in got)
    return [
      { area: 'credentials', level: 'ok', what: `Keystone takes ${who} (${file}), project ${got.value}` },
    ];
  const { code, message, context } = got.error;
  if (code === 'CLOUD_UNAVAILABLE' || code === 'BUDGET_SPENT') {
    const remedy = `see whether this machine reaches it, and correct auth-url in ${file} if it is another one:\ncurl -v ${examined.entry === undefined ? shellWord(authUrl) : 'AUTH-URL'}`;
    return [
      { area: 'network', level: 'failure', what: `Keystone does not answer: ${message} (${file})`, remedy },
    ];
  }
  const isRefused = context.status === 401;
  const what = isRefused ? `Keystone refuses ${who}: ${message} (${file})` : `${message} (${file})`;
  const secret = credentials.type === 'password' ? 'password' : 'application-credential-secret';
  const remedy = isRefused
    ? `write the right user, project and ${secret} into [Global] of ${file}, and try them:\n${tryLogin(examined, credentials)}`
    : `correct [Global] of ${file}: auth-url, region and the user's project`;
  return [{ area: 'credentials', level: 'failure', what, remedy }];
}

/** In words, without the secret. */
function nameOf(credentials: Credentials): string {
  if (credentials.type === 'application-credential')
    return `the application credential ${JSON.stringify(credentials.id ?? credentials.name)}`;
  const { user, project } = credentials;
  const of = (ref: typeof user): string =>
    'id' in ref
      ? ref.id
      : `${JSON.stringify(ref.name)} (domain ${'id' in ref.domain ? ref.domain.id : ref.domain.name})`;
  return `the user ${of(user)} in the project ${of(project)}`;
}

function tryLogin({ entry, connected }: Examined, credentials: Credentials): string {
  if (entry !== undefined) return 'openstack --os-auth-url AUTH-URL --os-username USER token issue';
  const at = `openstack --os-auth-url ${shellWord(connected.world.config.openstack.authUrl)}`;
  if (credentials.type === 'application-credential')
    return `${at} --os-auth-type v3applicationcredential --os-application-credential-id ${shellWord(credentials.id ?? 'ID')} token issue`;
  const { user, project } = credentials;
  const name =
    'id' in user
      ? `--os-user-id ${shellWord(user.id)}`
      : `--os-username ${shellWord(user.name)} --os-user-domain-name ${domainOf(user.domain)}`;
  const its =
    'id' in project
      ? `--os-project-id ${shellWord(project.id)}`
      : `--os-project-name ${shellWord(project.name)} --os-project-domain-name ${domainOf(project.domain)}`;
  return `${at} ${name} ${its} token issue`;
}

function domainOf(domain: { readonly id: string } | { readonly name: string }): string {
  return shellWord('id' in domain ? domain.id : domain.name);
}

/** Whether the kube-apiserver answers and knows who asks. The name is undefined if it does not. */
export async function checkApiserver(
  examined: Examined,
): Promise<{ readonly findings: readonly Finding[]; readonly user?: string }> {
  const { kubeHttp } = examined.connected;
  const file = kubeSource(examined);
  const asked = await tried(async () => {
    const { body } = await kubeHttp({
      method: 'POST',
      path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
      doing: 'ask the kube-apiserver who we are',
    });
    const name = stringAt(fieldsOf(fieldsOf(body)['status'])['userInfo'], 'username');
    if (name === undefined) throw noApiserver('status.userInfo');
    return name;
  });
  if ('value' in asked) {
    const user = asked.value;
    const ok: Finding = {
      area: 'credentials',
      level: 'ok',
      what: `the kube-apiserver takes ${user} (${file})`,
    };
    return { findings: [ok, ...ofAnother(examined, user)], user };
  }
  const { code, message, context } = asked.error;
  const isSilent = code === 'KUBE_UNAVAILABLE' || code === 'BUDGET_SPENT';
  const what =
    context.status === 401
      ? `the kube-apiserver refuses the credential of ${file}: ${message}`
      : `${message} (${file})`;
  const remedy = isSilent
    ? `see whether this machine reaches it, and correct server in ${file} if it is another one:\nkubectl --kubeconfig ${shellWord(file)} get --raw /readyz`
    : `write a credential that is still valid into ${file}, and try it:\nkubectl --kubeconfig ${shellWord(file)} auth whoami`;
  return { findings: [{ area: isSilent ? 'network' : 'credentials', level: 'failure', what, remedy }] };
}

/** The rights of an administrator say nothing of those of levelset. */
function ofAnother({ connected }: Examined, user: string): readonly Finding[] {
  const { serviceAccount } = connected.world.config;
  const own = `system:serviceaccount:${serviceAccount.replace('/', ':')}`;
  if (user === own) return [];
  const what = `the rights below are those of ${user}; levelset in the cluster runs as ${own} (--service-account)`;
  return [
    { area: 'credentials', level: 'note', what, remedy: `kubectl auth can-i --list --as=${shellWord(own)}` },
  ];
}

/** The services that levelset calls; `needed` where it cannot work without. */
export function servicesOf(
  config: Examined['connected']['world']['config'],
): readonly { readonly service: ServiceType; readonly needed: boolean }[] {
  return [
    { service: 'load-balancer', needed: true },
    { service: 'network', needed: true },
    { service: 'compute', needed: looksAfterNodes(config) || looksAfterRoutes(config) },
    { service: 'key-manager', needed: false },
  ];
}
