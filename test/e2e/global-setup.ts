import type { Environment } from './environment.ts';
import { prepareLab } from './prepare-lab.ts';

/** Before the first test file: the lab is there, the manifests are applied, levelset has its token and its cloud.conf. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  const { environment, cleanUp } = await prepareLab();
  if (environment.controllable) nameConformanceTargets(environment);
  if (!environment.controllable)
    console.log(
      'USE_EXISTING_CLUSTER: tests that need control of the lab (Nodes and servers of their own, traffic from ' +
        'its client, call counts, stopping parts of it) are left out; each is reported as skipped.',
    );
  return cleanUp;
}

/** The users of infra/lab: conformance makes and breaks things on its own, in a project and a cluster that are the lab's. */
function nameConformanceTargets({ cloud, adminKubeconfig }: Environment): void {
  const { auth_url: url, password } = cloud.auth;
  if (url === undefined || password === undefined)
    throw new Error('the lab has a cloud without auth_url or password');
  process.env['LEVELSET_CONFORMANCE_AUTH_URL'] = url;
  process.env['LEVELSET_CONFORMANCE_PASSWORD'] = password;
  process.env['LEVELSET_CONFORMANCE_KUBECONFIG'] = adminKubeconfig;
}
