/**
 * A setup file. The tests of each file are a deployment of their own, and find the cluster as nobody's. The conformance suite makes and
 * breaks things on its own, in a project and a cluster that are the lab's.
 */
import { beforeAll } from 'vitest';
import { lab } from './environment.ts';
import { leaveDeployment } from './leftovers.ts';

const { cloud, adminKubeconfig } = lab();
const { auth_url: url, username, password, project_name: project } = cloud.auth;
Object.assign(process.env, {
  LEVELSET_CONFORMANCE_AUTH_URL: url,
  LEVELSET_CONFORMANCE_REGION: cloud.region_name,
  LEVELSET_CONFORMANCE_USERNAME: username,
  LEVELSET_CONFORMANCE_PASSWORD: password,
  LEVELSET_CONFORMANCE_PROJECT: project,
  LEVELSET_CONFORMANCE_KUBECONFIG: adminKubeconfig,
  LEVELSET_CONFORMANCE_LAB: 'yes',
});

beforeAll(leaveDeployment);
