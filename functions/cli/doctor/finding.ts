import { existsSync } from 'node:fs';
import type { Flags } from '../../../shared/config/read-flags.ts';
import { ReconcileError } from '../../../shared/model/errors.ts';
import { fieldsOf } from '../../../shared/model/json.ts';
import { printable } from '../../../shared/model/text/text.ts';
import type { Connected } from '../../world.ts';
import { counted } from '../command.ts';

export interface Examined {
  readonly connected: Connected;
  readonly flags: Flags;
  readonly env: NodeJS.ProcessEnv;
  /** The entry of a registry, nothing of whose texts may reach a message (decision 460). */
  readonly entry?: string;
  readonly cloudSource: string;
  readonly kubeSource: string;
}

type Given = Pick<Examined, 'entry' | 'flags' | 'env'>;

/** What the kube-apiserver says of whoever asks, in a review that every account may create; `said` is the field that it must have. */
export async function review(
  { kubeHttp }: Connected,
  group: 'authentication' | 'authorization',
  kind: string,
  said: string,
  about: { readonly doing: string; readonly spec?: object },
): Promise<Readonly<Record<string, unknown>>> {
  const apiVersion = `${group}.k8s.io/v1`;
  const path = `/apis/${apiVersion}/${kind.toLowerCase()}s`;
  const body = { apiVersion, kind, spec: about.spec };
  const answer = await kubeHttp({ method: 'POST', path, body, doing: about.doing });
  const status = fieldsOf(fieldsOf(answer.body)['status']);
  if (status[said] !== undefined) return status;
  // 200 of what is no kube-apiserver, such as a login page
  const message = `another program than a kube-apiserver answers: its answer has no status.${said}`;
  throw new ReconcileError('KUBE_UNAVAILABLE', message);
}

/** As functions/world.ts reads it. */
export function cloudSource({ entry, flags, env }: Given): string {
  if (entry !== undefined) return `cloud.conf of the entry ${entry}`;
  if (flags.cloudConfig) return existsSync(flags.cloudConfig) ? flags.cloudConfig : '--cloud-config';
  if (env['LEVELSET_CLOUD_CONFIG_TEXT']) return 'LEVELSET_CLOUD_CONFIG_TEXT';
  return !env['OS_CLOUD'] && env['OS_AUTH_URL'] ? 'the variables OS_*' : 'clouds.yaml (OS_CLOUD)';
}

/** In the order of shared/kube/connection/find-connection.ts. */
export function kubeSource({ entry, flags, env }: Given): string {
  if (entry !== undefined) return `kubeconfig of the entry ${entry}`;
  if (flags.kubeconfig) return existsSync(flags.kubeconfig) ? flags.kubeconfig : '--kubeconfig';
  if (env['LEVELSET_KUBECONFIG_TEXT']) return 'LEVELSET_KUBECONFIG_TEXT';
  if (env['KUBECONFIG']) return 'KUBECONFIG';
  return env['KUBERNETES_SERVICE_HOST'] ? 'the ServiceAccount of the Pod' : '~/.kube/config';
}

/** `note`: nothing is wrong, and something is not checked, or not there and not needed. */
type Level = 'ok' | 'note' | 'warning' | 'failure';

/** In the order in which they are printed. */
// prettier-ignore
export const AREAS = ['configuration', 'credentials', 'network', 'rights', 'quotas', 'versions', 'ways in'] as const;
type Area = (typeof AREAS)[number];

export interface Finding {
  readonly area: Area;
  readonly level: Level;
  readonly what: string;
  /** What mends it: a sentence, or commands to paste. Every warning and failure has one. */
  readonly remedy?: string;
}

export type Findings = Promise<readonly Finding[]>;

export function finding(level: Level, area: Area, what: string, remedy?: string): Finding {
  return { area, level, what, ...(remedy !== undefined && { remedy }) };
}

const WIDTH = 'failure'.length;

/** One line for each finding, and what mends it below. A remedy that several findings in a row share is printed after the last of them. */
export function renderFindings(findings: readonly Finding[]): string {
  const lines = findings.flatMap(({ area, level, what, remedy }, at) => [
    `${level.padEnd(WIDTH)}  ${area}: ${eachLine(what, printable)}`,
    ...(remedy === undefined || remedy === findings[at + 1]?.remedy ? [] : [indented(remedy)]),
  ]);
  const count = (wanted: Level, many?: string): string =>
    counted(findings.filter(({ level }) => level === wanted).length, wanted, many);
  return [...lines, '', `${count('failure')}, ${count('warning')}, ${count('ok', 'ok')}`].join('\n');
}

/** Servers are repeated, so nothing of it may be an order to the terminal. */
function eachLine(text: string, shown: (line: string, at: number) => string): string {
  return text.split('\n').map(shown).join('\n');
}

function indented(remedy: string): string {
  return eachLine(
    remedy,
    (line, at) => `${' '.repeat(WIDTH)}  ${at === 0 ? '-> ' : '   '}${printable(line)}`,
  );
}

/** A text as one word of a command to paste, whatever is in it: names have spaces, and addresses come from others. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
