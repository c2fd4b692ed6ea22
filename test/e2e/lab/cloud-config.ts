import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lab, type CloudEntry, type LabResources } from './environment.ts';

type Section = Readonly<Record<string, string | number | boolean>>;
export interface Sections {
  readonly Global?: Section;
  readonly LoadBalancer?: Section;
  readonly Route?: Section;
}

/** A cloud.conf for a cloud of clouds.yaml. In the lab monitors are quick: a node is out after one missed second. */
export function cloudConfig(cloud: CloudEntry, resources: LabResources | null, more: Sections = {}): string {
  const { auth } = cloud;
  const global = {
    'auth-url': auth['auth_url'],
    region: cloud.region_name,
    username: auth['username'],
    password: auth['password'],
    'tenant-name': auth['project_name'],
    'user-domain-name': auth['user_domain_name'],
    'tenant-domain-name': auth['project_domain_name'],
    'application-credential-id': auth['application_credential_id'],
    'application-credential-secret': auth['application_credential_secret'],
    ...more.Global,
  };
  const balancer = {
    ...(resources && {
      'floating-network-id': resources.public_network,
      'subnet-id': resources.private_v4,
      'create-monitor': true,
      'monitor-delay': '1s',
      'monitor-timeout': '1s',
      'monitor-max-retries': 1,
      'monitor-max-retries-down': 1,
    }),
    ...more.LoadBalancer,
  };
  return section('Global', global) + section('LoadBalancer', balancer) + section('Route', more.Route ?? {});
}

function section(
  name: string,
  values: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const lines = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} = ${typeof value === 'string' ? JSON.stringify(value) : value}`],
  );
  return [`[${name}]`, ...lines, ''].join('\n');
}

/** Another cloud.conf beside the usual one, for startLevelset({ cloudConfig }); its path. */
export async function writeCloudConfig(name: string, more: Sections): Promise<string> {
  const file = join(lab().directory, `${name}.cloud.conf`);
  await writeFile(file, cloudConfig(lab().levelsetCloud, lab().resources, more), { mode: 0o600 });
  return file;
}
