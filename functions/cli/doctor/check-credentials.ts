import type { Credentials } from '../../../shared/config/config.ts';
import { isError } from '../../../shared/model/errors.ts';
import { fieldsOf, stringAt } from '../../../shared/model/json.ts';
import { cloudSource, kubeSource, noApiserver, tried, type Examined } from './examined.ts';
import { finding, shellWord, type Finding } from './finding.ts';

/** Whether Keystone lets levelset in, with who it is, where, and which file says so. */
export async function checkKeystone(examined: Examined): Promise<Finding> {
  const { authUrl, credentials } = examined.connected.world.config.openstack;
  const file = cloudSource(examined);
  const who = examined.entry === undefined ? `${nameOf(credentials)} at ${authUrl}` : 'its user';
  const got = await tried(examined.connected.session.projectId());
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
  const options = (ref: typeof user, what: string, name: string): string =>
    'id' in ref
      ? `--os-${what}-id ${shellWord(ref.id)}`
      : `--os-${name} ${shellWord(ref.name)} --os-${what}-domain-name ${shellWord('id' in ref.domain ? ref.domain.id : ref.domain.name)}`;
  return `${at} ${options(user, 'user', 'username')} ${options(project, 'project', 'project-name')} token issue`;
}

/** Whether the kube-apiserver answers and knows who asks. The name is undefined if it does not. */
export async function checkApiserver(
  examined: Examined,
): Promise<{ readonly findings: readonly Finding[]; readonly user?: string }> {
  const file = kubeSource(examined);
  const user = await tried(askWho(examined));
  if (!isError(user)) {
    const ok = finding('ok', 'credentials', `the kube-apiserver takes ${user} (${file})`);
    return { findings: [ok, ...ofAnother(examined, user)], user };
  }
  const { code, message, context } = user;
  const isSilent = code === 'KUBE_UNAVAILABLE' || code === 'BUDGET_SPENT';
  const what =
    context.status === 401
      ? `the kube-apiserver refuses the credential of ${file}: ${message}`
      : `${message} (${file})`;
  const remedy = isSilent
    ? `see whether this machine reaches it, and correct server in ${file} if it is another one:\nkubectl --kubeconfig ${shellWord(file)} get --raw /readyz`
    : `write a credential that is still valid into ${file}, and try it:\nkubectl --kubeconfig ${shellWord(file)} auth whoami`;
  return { findings: [finding('failure', isSilent ? 'network' : 'credentials', what, remedy)] };
}

async function askWho({ connected }: Examined): Promise<string> {
  const { body } = await connected.kubeHttp({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    doing: 'ask the kube-apiserver who we are',
  });
  const name = stringAt(fieldsOf(fieldsOf(body)['status'])['userInfo'], 'username');
  if (name === undefined) throw noApiserver('status.userInfo');
  return name;
}

/** The rights of an administrator say nothing of those of levelset. */
function ofAnother({ connected }: Examined, user: string): readonly Finding[] {
  const own = `system:serviceaccount:${connected.world.config.serviceAccount.replace('/', ':')}`;
  if (user === own) return [];
  const what = `the rights below are those of ${user}; levelset in the cluster runs as ${own} (--service-account)`;
  return [finding('note', 'credentials', what, `kubectl auth can-i --list --as=${shellWord(own)}`)];
}
