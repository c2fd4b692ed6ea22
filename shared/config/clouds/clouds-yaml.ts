import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { readAccess, type Access } from './access.ts';
import { didYouMean } from '../did-you-mean.ts';

export interface CloudsYaml {
  readonly access: Access;
  readonly problems: readonly string[];
}

type Tree = Readonly<Record<string, unknown>>;

const AUTH: Readonly<Partial<Record<keyof Access, readonly string[]>>> = {
  authUrl: ['auth_url'],
  username: ['username', 'user_name'],
  userId: ['user_id'],
  password: ['password'],
  projectId: ['project_id', 'tenant_id'],
  projectName: ['project_name', 'tenant_name'],
  domainId: ['domain_id'],
  domainName: ['domain_name'],
  userDomainId: ['user_domain_id'],
  userDomainName: ['user_domain_name'],
  projectDomainId: ['project_domain_id'],
  projectDomainName: ['project_domain_name'],
  applicationCredentialId: ['application_credential_id'],
  applicationCredentialName: ['application_credential_name'],
  applicationCredentialSecret: ['application_credential_secret'],
  token: ['token'],
  trustId: ['trust_id'],
};

const BESIDE: Readonly<Partial<Record<keyof Access, readonly string[]>>> = {
  region: ['region_name'],
  interface: ['interface', 'endpoint_type'],
  caFile: ['cacert'],
  certFile: ['cert'],
  keyFile: ['key'],
  authType: ['auth_type'],
};

/**
 * One entry of clouds.yaml with its secrets out of secure.yaml (openstacksdk, "Configuring OpenStack SDK
 * Applications"). `file` is what cloud.conf names, before OS_CLIENT_CONFIG_FILE and the search path; `cloud` the entry,
 * before OS_CLOUD and the only one there is. `wanted` false: no file at all is no problem.
 */
export async function readCloudsYaml(
  env: NodeJS.ProcessEnv,
  named: {
    readonly file?: string | undefined;
    readonly cloud?: string | undefined;
    readonly wanted: boolean;
  },
): Promise<CloudsYaml> {
  const problems: string[] = [];
  const given = named.file ?? env['OS_CLIENT_CONFIG_FILE'];
  const paths = given === undefined ? cloudsPaths('clouds', env) : [given];
  const file = await firstFile(paths);
  if (file === undefined) {
    if (named.wanted || given !== undefined) problems.push(`no clouds.yaml: looked for ${paths.join(', ')}`);
    return { access: {}, problems };
  }
  const clouds = await readClouds(file, problems);
  const name = named.cloud ?? env['OS_CLOUD'] ?? onlyName(clouds);
  const entry = name === undefined ? undefined : clouds[name];
  if (name === undefined || !isTree(entry)) {
    const known = Object.keys(clouds);
    const wanted = name === undefined ? 'which cloud? set OS_CLOUD' : `no cloud ${JSON.stringify(name)}`;
    const hint = name === undefined ? '' : didYouMean(name, known);
    if (problems.length === 0)
      problems.push(`${file.path}: ${wanted}; it has ${known.join(', ') || 'none'}${hint}`);
    return { access: {}, problems };
  }
  const secureFile = env['OS_CLIENT_SECURE_FILE'];
  const beside = [path.join(path.dirname(file.path), 'secure.yaml'), ...cloudsPaths('secure', env)];
  const secure = await firstFile(secureFile === undefined ? beside : [secureFile]);
  const secrets = secure === undefined ? undefined : (await readClouds(secure, problems))[name];
  return { access: accessOf(merge(entry, isTree(secrets) ? secrets : {})), problems };
}

/** `clouds:` of a file. All scalars stay text, so that a password 0123 is not a number. */
async function readClouds(file: FoundFile, problems: string[]): Promise<Tree> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(file.text, {
    schema: 'failsafe',
    merge: true,
    lineCounter,
    prettyErrors: false,
  });
  const [error] = document.errors;
  if (error !== undefined) {
    // Only the code, as yaml's message may quote the file; only the first, as the others follow from it.
    problems.push(`${file.path}:${lineCounter.linePos(error.pos[0]).line}: no valid YAML (${error.code})`);
    return {};
  }
  const tree = toTree(document, file, problems);
  if (isTree(tree) && isTree(tree['clouds'])) return tree['clouds'];
  if (problems.length === 0)
    problems.push(`${file.path}: a file of clouds begins with clouds: and has names below it`);
  return {};
}

function toTree(document: { toJS(): unknown }, file: FoundFile, problems: string[]): unknown {
  try {
    return document.toJS();
  } catch {
    problems.push(`${file.path}: an alias in it names no anchor, or too many`);
    return undefined;
  }
}

function accessOf(entry: Tree): Access {
  const auth = isTree(entry['auth']) ? entry['auth'] : {};
  const verify = textOf(entry['verify'])?.toLowerCase();
  const insecure = textOf(entry['insecure'])?.toLowerCase();
  const isOff = verify === 'false' || verify === 'no' || verify === 'off' || insecure === 'true';
  return {
    ...readAccess(AUTH, (name) => textOf(auth[name])),
    ...readAccess(BESIDE, (name) => textOf(entry[name])),
    ...(isOff ? { tlsInsecure: 'true' } : {}),
  };
}

function merge(entry: Tree, over: Tree): Tree {
  const merged = Object.entries(over).map(([key, value]) => {
    const below = entry[key];
    return [key, isTree(below) && isTree(value) ? merge(below, value) : value];
  });
  return { ...entry, ...(Object.fromEntries(merged) as Tree) };
}

function onlyName(clouds: Tree): string | undefined {
  const names = Object.keys(clouds);
  return names.length === 1 ? names[0] : undefined;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

interface FoundFile {
  readonly path: string;
  readonly text: string;
}

/**
 * The first of the paths that is there. Throws what node:fs throws when one is there but cannot be read.
 */
async function firstFile(paths: readonly string[]): Promise<FoundFile | undefined> {
  for (const candidate of paths) {
    try {
      return { path: candidate, text: await readFile(candidate, 'utf8') };
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error;
    }
  }
  return undefined;
}

/** Where the openstack client looks for clouds.yaml and secure.yaml: here, the user's folder, the system's. */
function cloudsPaths(name: 'clouds' | 'secure', env: NodeJS.ProcessEnv): readonly string[] {
  const config = env['XDG_CONFIG_HOME'] ?? path.join(env['HOME'] ?? homedir(), '.config');
  const folders = [process.cwd(), path.join(config, 'openstack'), '/etc/openstack'];
  return folders.flatMap((folder) => [path.join(folder, `${name}.yaml`), path.join(folder, `${name}.yml`)]);
}
