import { readFlagsText, type Flags } from '../config/read-flags.ts';
import { loadConfig } from '../config/load.ts';
import { readKubeconfig } from '../kube/connection/kubeconfig.ts';
import { ReconcileError } from '../model/errors.ts';
import { proxyVariables } from '../proxy.ts';
import { TEXTS, type Settings, type TextName, type Texts } from './entry.ts';
import { parseGcfg } from '../config/cloud-conf/gcfg.ts';
import { gcfgBoolean } from '../config/read-value.ts';

/** What holds for every entry that does not say otherwise. */
export interface Deployment {
  readonly flags: Flags;
  /** Only its proxies count. */
  readonly env: NodeJS.ProcessEnv;
}

/** The variables that the functions on AWS have the same texts in. */
const VARIABLES = {
  kubeconfig: 'LEVELSET_KUBECONFIG_TEXT',
  'cloud.conf': 'LEVELSET_CLOUD_CONFIG_TEXT',
  'ca-file': 'LEVELSET_CA_FILE_TEXT',
  'cert-file': 'LEVELSET_CERT_FILE_TEXT',
  'key-file': 'LEVELSET_KEY_FILE_TEXT',
} as const satisfies Partial<Record<TextName, string>>;

/** The texts that a cluster is connected with. */
export const OF_SETTINGS = [
  ...(Object.keys(VARIABLES) as (keyof typeof VARIABLES)[]),
  'flags',
  'uid',
] as const;

const UID = /^[\w-]{1,128}$/;

/** The most characters of a text, before anything of it is parsed. */
const LONGEST_TEXT = 262_144;

/**
 * Makes of the texts of an entry what a cluster is connected with. Undefined: they cannot be used, and `problems` says why, by text
 * and line. Whoever may edit an entry has no right to this machine, so no text may name a file or a program of it.
 */
export async function readSettings(
  name: string,
  texts: Texts,
  deployment: Deployment,
  problems: string[],
): Promise<Settings | undefined> {
  const before = problems.length;
  for (const text of ['kubeconfig', 'cloud.conf'] as const)
    if (texts[text] === undefined)
      problems.push(`${text} is missing: without it there is nothing to connect to`);
  for (const text of OF_SETTINGS)
    if (text !== 'flags' && texts[text]?.trim() === '') problems.push(`${text} is empty`);
    else if ((texts[text] ?? '').length > LONGEST_TEXT)
      problems.push(`${text} is longer than ${LONGEST_TEXT} characters: no such text needs more`);
  if (problems.length > before) return undefined;
  const uid = texts.uid?.trim();
  if (uid !== undefined && !UID.test(uid))
    problems.push('uid is not a UID: give metadata.uid of the namespace kube-system');
  const own = readFlagsText(texts.flags ?? '', 'flags', problems);
  checkCloudConf(texts['cloud.conf'] ?? '', problems);
  if (problems.length > before) return undefined;
  const { kubeconfig: _file, cloudConfig: _other, ...defaults } = deployment.flags;
  const flags = { ...defaults, clusterName: name, ...own };
  const given = Object.entries(VARIABLES).map(([text, variable]) => [variable, texts[text as TextName]]);
  const env = {
    ...proxyVariables(deployment.env),
    ...(Object.fromEntries(given.filter(([, text]) => text !== undefined)) as NodeJS.ProcessEnv),
  };
  try {
    await readKubeconfig(texts.kubeconfig ?? '', { source: 'kubeconfig', isEntry: true });
    const { warnings } = await loadConfig(flags, env);
    return { flags, env, ...(uid !== undefined && { uid }), warnings: warnings.flatMap(linesOf) };
  } catch (error) {
    if (!(error instanceof ReconcileError)) throw error;
    problems.push(...linesOf(error.message));
    return undefined;
  }
}

/** The lines of a list of problems, without its heading, each with the text that it is about. */
function linesOf(message: string): readonly string[] {
  const lines = message.split('\n').map((line) => line.trim());
  return (lines.length > 1 ? lines.slice(1) : lines).map((line) => {
    const named = Object.entries(VARIABLES).reduce(
      (left, [text, variable]) => left.replaceAll(variable, text),
      line,
    );
    if (TEXTS.some((text) => named.startsWith(text))) return named;
    const hint = named.includes('OS_') ? ' (an entry reads neither clouds.yaml nor OS_*)' : '';
    return `${named.includes('--') ? 'flags' : 'cloud.conf'}: ${named}${hint}`;
  });
}

/** Options of [Global] that name a file, and the text of the entry that takes its place. */
const FILES = ['ca-file', 'cert-file', 'key-file'];

/** Refuses what leads out of an entry: clouds.yaml and files. Adds to `problems`, which name the line. */
function checkCloudConf(text: string, problems: string[]): void {
  for (const { name, entries } of parseGcfg(text).sections)
    for (const { key, value, line } of entries) {
      const remedy = name === 'global' ? remedyOf(key, value) : undefined;
      if (remedy !== undefined)
        problems.push(`cloud.conf:${line}: [Global] ${key} leads out of the entry: ${remedy}`);
    }
}

function remedyOf(key: string, value: string | undefined): string | undefined {
  if (key === 'use-clouds' && gcfgBoolean(value) === true)
    return 'leave it out, and give auth-url and credentials here';
  if (value === '') return undefined;
  if (key === 'clouds-file') return 'leave it out, and give auth-url and credentials here';
  return FILES.includes(key) ? `put the text of the file into ${key} of the entry` : undefined;
}
