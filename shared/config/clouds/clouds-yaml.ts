import { stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { readNamedFile, readNamedText } from '../../named-file.ts';
import { didYouMean } from '../../model/text/text.ts';
import { isRecord } from '../../model/json.ts';
import { gcfgBoolean } from '../read-value.ts';
import { hasSecret, readAccess, type Access } from './access.ts';

interface CloudsYaml {
  readonly access: Access;
  /** The file that has the secret: clouds.yaml or secure.yaml. Empty: there is none. */
  readonly from: string;
  readonly problems: readonly string[];
}

type Tree = Readonly<Record<string, unknown>>;

/**
 * One entry of clouds.yaml with its vendor's part and its secrets (openstacksdk, "Configuring OpenStack SDK
 * Applications"). `file` and `cloud` are those of cloud.conf, before the variables; `above` is what cloud.conf has
 * itself. `wanted` false: nothing may be there. Throws CONFIG_INVALID.
 */
export async function readCloudsYaml(
  env: NodeJS.ProcessEnv,
  named: {
    readonly file?: string | undefined;
    readonly cloud?: string | undefined;
    readonly above?: Access | undefined;
    readonly wanted: boolean;
  },
): Promise<CloudsYaml> {
  const problems: string[] = [];
  const given = named.file ?? env['OS_CLIENT_CONFIG_FILE'];
  const paths = cloudsPaths('clouds', env);
  const place = named.file === undefined ? 'OS_CLIENT_CONFIG_FILE' : '[Global] clouds-file';
  const file =
    given === undefined
      ? await firstFile(paths)
      : { path: given, text: await readNamedFile(`clouds.yaml (${place})`, given) };
  if (file === undefined) {
    if (named.wanted) problems.push(`no clouds.yaml: levelset looked for ${paths.join(', ')}`);
    return { access: {}, from: '', problems };
  }
  const clouds = await readClouds('clouds', file, problems);
  const name = named.cloud ?? env['OS_CLOUD'] ?? onlyName(clouds);
  const entry = name === undefined ? undefined : clouds[name];
  if (name === undefined || !isRecord(entry)) {
    const known = Object.keys(clouds);
    const said = named.cloud === undefined ? 'OS_CLOUD' : '[Global] cloud';
    const wanted = name === undefined ? 'OS_CLOUD must name a cloud of it' : `${said} names no cloud of it`;
    const hint = name === undefined ? '' : didYouMean(name, known);
    if (problems.length === 0) problems.push(`${file.path}: ${wanted}; there are ${known.length}${hint}`);
    return { access: {}, from: '', problems };
  }
  const beside = (what: 'clouds-public' | 'secure'): readonly string[] => [
    path.join(path.dirname(file.path), `${what}.yaml`),
    ...cloudsPaths(what, env),
  ];
  const secureFile = env['OS_CLIENT_SECURE_FILE'];
  const secure = await firstFile(secureFile === undefined ? beside('secure') : [secureFile]);
  const beneath = secure === undefined ? undefined : (await readClouds('clouds', secure, problems))[name];
  const secrets = isRecord(beneath) ? beneath : {};
  const from = secure !== undefined && hasSecret(accessOf(secrets)) ? secure.path : file.path;
  const own = merge(entry, secrets);
  const profile = textOf(own['profile']) ?? textOf(own['cloud']);
  const vendors = profile === undefined ? undefined : await firstFile(beside('clouds-public'));
  const known = vendors === undefined ? {} : await readClouds('public-clouds', vendors, problems);
  const vendor = known[profile ?? ''];
  const whole = isRecord(vendor) ? merge(vendor, own) : own;
  const access = accessOf(inRegion(whole, named.above?.region, env, file.path, problems));
  const address = named.above?.authUrl ?? access.authUrl ?? env['OS_AUTH_URL'];
  if (profile !== undefined && !isRecord(vendor) && address === undefined && problems.length === 0)
    problems.push(
      `${file.path}: the cloud has no auth_url, and no clouds-public.yaml has its profile${didYouMean(profile, Object.keys(known))}; levelset knows no vendors of its own: give auth.auth_url`,
    );
  return { access, from, problems };
}

/** The entry with the values of its region: the one of cloud.conf, else its own, else OS_REGION_NAME, else the first. */
function inRegion(
  entry: Tree,
  above: string | undefined,
  env: NodeJS.ProcessEnv,
  file: string,
  problems: string[],
): Tree {
  const list = Array.isArray(entry['regions']) ? (entry['regions'] as readonly unknown[]) : [];
  const regions = list.map((region): Tree => (isRecord(region) ? region : { name: region }));
  const own = textOf(entry['region_name']);
  const asked = above ?? own ?? env['OS_REGION_NAME'];
  const region = asked === undefined ? regions[0] : regions.find(({ name }) => name === asked);
  const values = region?.['values'];
  if (region) return merge({ ...entry, region_name: region['name'] }, isRecord(values) ? values : {});
  if (asked !== undefined && asked !== own && regions.length > 0) {
    const said = above === undefined ? 'OS_REGION_NAME' : '[Global] region';
    const hint = didYouMean(
      asked,
      regions.map(({ name }) => textOf(name) ?? ''),
    );
    problems.push(`${file}: ${said} names no region of the cloud; there are ${regions.length}${hint}`);
  }
  return entry;
}

/** So often one anchor may be used, with the aliases in it: by each cloud of a large file, but not by aliases of aliases of aliases. */
const MOST_ALIASES = 10_000;

/** What a file has below `top`; nothing of a file with comments alone. Every scalar but null stays a text, so that a password 0123 is no number. */
async function readClouds(
  top: 'clouds' | 'public-clouds',
  file: FoundFile,
  problems: string[],
): Promise<Tree> {
  const { LineCounter, parseDocument } = await import('yaml');
  const lineCounter = new LineCounter();
  const document = parseDocument(file.text, {
    schema: 'failsafe',
    customTags: ['null'],
    merge: true,
    uniqueKeys: false, // the last counts, as for PyYAML
    lineCounter,
    prettyErrors: false,
    logLevel: 'error', // a warning quotes the file
  });
  const [error] = document.errors;
  if (error !== undefined) {
    // The code alone, since yaml's message may quote the file. The first error alone, since the others follow from it.
    problems.push(`${file.path}:${lineCounter.linePos(error.pos[0]).line}: not valid YAML (${error.code})`);
    return {};
  }
  try {
    const tree: unknown = document.toJS({ maxAliasCount: MOST_ALIASES });
    const clouds = isRecord(tree) ? tree[top] : undefined;
    if (isRecord(clouds)) return clouds;
    if (problems.length === 0 && tree !== null)
      problems.push(`${file.path}: the file must begin with ${top}: and have names below it`);
  } catch {
    problems.push(`${file.path}: an alias in it has no anchor, or there are too many aliases`);
  }
  return {};
}

function accessOf(entry: Tree): Access {
  const auth = isRecord(entry['auth']) ? entry['auth'] : {};
  const isOff =
    gcfgBoolean(textOf(entry['verify']) ?? '') === false ||
    gcfgBoolean(textOf(entry['insecure']) ?? '') === true;
  return {
    ...readAccess((name) => textOf(auth[name]) ?? textOf(entry[name])),
    ...(isOff ? { tlsInsecure: 'true' } : {}),
  };
}

function merge(entry: Tree, over: Tree): Tree {
  const merged = Object.entries(over).flatMap(([key, value]) => {
    const below = entry[key];
    if (value === null || value === '') return [];
    return [[key, isRecord(below) && isRecord(value) ? merge(below, value) : value]];
  });
  return { ...entry, ...(Object.fromEntries(merged) as Tree) };
}

function onlyName(clouds: Tree): string | undefined {
  const names = Object.keys(clouds);
  return names.length === 1 ? names[0] : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

interface FoundFile {
  readonly path: string;
  readonly text: string;
}

async function firstFile(paths: readonly string[]): Promise<FoundFile | undefined> {
  for (const candidate of paths) {
    const isMissing = await stat(candidate).then(
      () => false,
      (error: unknown) => (error as NodeJS.ErrnoException).code === 'ENOENT',
    );
    if (!isMissing) return { path: candidate, text: await readNamedText('clouds.yaml', candidate) };
  }
  return undefined;
}

/** The paths where the openstack client looks: the current folder, the user's and the system's. */
function cloudsPaths(name: 'clouds' | 'clouds-public' | 'secure', env: NodeJS.ProcessEnv): readonly string[] {
  const config = env['XDG_CONFIG_HOME'] ?? path.join(env['HOME'] ?? homedir(), '.config');
  const folders = [process.cwd(), path.join(config, 'openstack'), '/etc/openstack'];
  return folders.flatMap((folder) => [path.join(folder, `${name}.yaml`), path.join(folder, `${name}.yml`)]);
}
