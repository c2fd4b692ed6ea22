import { readAccess, type Access } from './access.ts';

const VARIABLES: Readonly<Record<keyof Access, readonly string[]>> = {
  authUrl: ['OS_AUTH_URL'],
  region: ['OS_REGION_NAME'],
  interface: ['OS_INTERFACE', 'OS_ENDPOINT_TYPE'],
  username: ['OS_USERNAME'],
  userId: ['OS_USER_ID'],
  password: ['OS_PASSWORD'],
  projectId: ['OS_PROJECT_ID', 'OS_TENANT_ID'],
  projectName: ['OS_PROJECT_NAME', 'OS_TENANT_NAME'],
  domainId: ['OS_DOMAIN_ID'],
  domainName: ['OS_DOMAIN_NAME'],
  userDomainId: ['OS_USER_DOMAIN_ID'],
  userDomainName: ['OS_USER_DOMAIN_NAME'],
  projectDomainId: ['OS_PROJECT_DOMAIN_ID'],
  projectDomainName: ['OS_PROJECT_DOMAIN_NAME'],
  applicationCredentialId: ['OS_APPLICATION_CREDENTIAL_ID'],
  applicationCredentialName: ['OS_APPLICATION_CREDENTIAL_NAME'],
  applicationCredentialSecret: ['OS_APPLICATION_CREDENTIAL_SECRET'],
  caFile: ['OS_CACERT'],
  certFile: ['OS_CERT'],
  keyFile: ['OS_KEY'],
  tlsInsecure: [],
  token: ['OS_TOKEN'],
  trustId: ['OS_TRUST_ID'],
  authType: ['OS_AUTH_TYPE'],
};

/** The OS_* variables of the openstack client. */
export function readEnv(env: NodeJS.ProcessEnv): Access {
  return readAccess(VARIABLES, (name) => env[name]);
}
