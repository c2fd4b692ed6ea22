import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { hasSecret, readAccess, type Access } from './access.ts';
import { didYouMean } from '../did-you-mean.ts';

export interface CloudsYaml {
  readonly access: Access;
  /** The file that has the secret: clouds.yaml or secure.yaml. Empty: there is none. */
  readonly from: string;
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
 * Reads one entry of clouds.yaml with its secrets from secure.yaml (openstacksdk, "Configuring OpenStack SDK
 * Applications"). `file` is the one that cloud.conf names; then come OS_CLIENT_CONFIG_FILE and the search
 * path. `cloud` is the entry that cloud.conf names; then come OS_CLOUD and the only entry. `wanted` false: a
 * missing file is no problem, unless `file` or OS_CLIENT_CONFIG_FILE names it.
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
    if (named.wanted || given !== undefined)
      problems.push(`no clouds.yaml: levelset looked for ${paths.join(', ')}`);
    return { access: {}, from: '', problems };
  }
  const clouds = await readClouds(file, problems);
  const name = named.cloud ?? env['OS_CLOUD'] ?? onlyName(clouds);
  const entry = name === undefined ? undefined : clouds[name];
  if (name === undefined || !isTree(entry)) {
    const known = Object.keys(clouds);
    const wanted = name === undefined ? 'OS_CLOUD must name a cloud' : `no cloud ${JSON.stringify(name)}`;
    const hint = name === undefined ? '' : didYouMean(name, known);
    if (problems.length === 0)
      problems.push(`${file.path}: ${wanted}; there are ${known.join(', ') || 'none'}${hint}`);
    return { access: {}, from: '', problems };
  }
  const secureFile = env['OS_CLIENT_SECURE_FILE'];
  const beside = [path.join(path.dirname(file.path), 'secure.yaml'), ...cloudsPaths('secure', env)];
  const secure = await firstFile(secureFile === undefined ? beside : [secureFile]);
  const beneath = secure === undefined ? undefined : (await readClouds(secure, problems))[name];
  const secrets = isTree(beneath) ? beneath : {};
  const from = secure !== undefined && hasSecret(accessOf(secrets)) ? secure.path : file.path;
  return { access: accessOf(merge(entry, secrets)), from, problems };
}

/** `clouds:` of a file. Every scalar stays a text, so that a password 0123 is no number. */
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
    // The code alone, since yaml's message may quote the file. The first error alone, since the others follow from it.
    problems.push(`${file.path}:${lineCounter.linePos(error.pos[0]).line}: no valid YAML (${error.code})`);
    return {};
  }
  const tree = toTree(document, file, problems);
  if (isTree(tree) && isTree(tree['clouds'])) return tree['clouds'];
  if (problems.length === 0)
    problems.push(`${file.path}: the file must begin with clouds: and have names below it`);
  return {};
}

function toTree(document: { toJS(): unknown }, file: FoundFile, problems: string[]): unknown {
  try {
    return document.toJS();
  } catch {
    problems.push(`${file.path}: an alias in it has no anchor, or there are too many aliases`);
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

/** The first file that exists. Throws the error of node:fs if it exists but cannot be read. */
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

/** The paths where the openstack client looks: the current folder, the user's and the system's. */
function cloudsPaths(name: 'clouds' | 'secure', env: NodeJS.ProcessEnv): readonly string[] {
  const config = env['XDG_CONFIG_HOME'] ?? path.join(env['HOME'] ?? homedir(), '.config');
  const folders = [process.cwd(), path.join(config, 'openstack'), '/etc/openstack'];
  return folders.flatMap((folder) => [path.join(folder, `${name}.yaml`), path.join(folder, `${name}.yml`)]);
}
