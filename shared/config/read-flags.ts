import { ReconcileError } from '../model/errors.ts';
import { didYouMean } from '../model/text/text.ts';
import { type CommandName, type Flag, FLAGS } from './flags.ts';
import { camel, NotAllowed, refusalOf, text, type Camel, type Read } from './read-value.ts';

type FlagName = keyof typeof FLAGS;

export type Flags = {
  readonly [N in FlagName as Camel<N>]?: (typeof FLAGS)[N] extends { value: string } ? string : true;
};

type ValueOf<Row> = Row extends { read: Read<infer T> }
  ? Row extends { default: string }
    ? T
    : T | undefined
  : boolean;

/** The values of all flags, defaults included. Durations are milliseconds. */
export type FlagValues = { readonly [N in FlagName as Camel<N>]: ValueOf<(typeof FLAGS)[N]> };

const ROWS = Object.entries(FLAGS) as readonly (readonly [FlagName, Flag])[];

export function flagsOf(command: CommandName): readonly (readonly [FlagName, Flag])[] {
  return ROWS.filter(([, { commands }]) => commands.includes(command));
}

export function flagsOfCluster(): readonly (readonly [FlagName, Flag])[] {
  return ROWS.filter(([, { cluster }]) => cluster);
}

/** `cluster-cidr` is LEVELSET_CLUSTER_CIDR. A switch has no variable. */
export function variableOf(name: string, { value }: Flag): string | undefined {
  return value === undefined ? undefined : `LEVELSET_${name.toUpperCase().replaceAll('-', '_')}`;
}

/** Reads every flag. A value that is not allowed adds a line to `problems`, and its default is returned. */
export function readFlags(flags: Flags, problems: string[]): FlagValues {
  const given: Readonly<Record<string, string | true>> = flags;
  const values = ROWS.map(([name, flag]) => {
    const value = given[camel(name)];
    return [camel(name), flag.read ? readValue(name, flag, flag.read, value, problems) : value === true];
  });
  return Object.fromEntries(values) as FlagValues;
}

/** The same for a command that needs no more than flags. Throws CONFIG_INVALID with all problems. */
export function needFlags(flags: Flags): FlagValues {
  const problems: string[] = [];
  const values = readFlags(flags, problems);
  if (problems.length > 0) throw new ReconcileError('CONFIG_INVALID', problems.join('\n'));
  return values;
}

function readValue(
  name: FlagName,
  flag: Flag,
  read: Read<unknown>,
  value: string | true | undefined,
  problems: string[],
): unknown {
  // as in an environment, where a variable cannot be taken away but only be emptied
  const isAbsent = value === undefined || (value === '' && read === text);
  const result = isAbsent ? undefined : read(String(value));
  if (result instanceof NotAllowed) {
    const written = flag.short === undefined ? `--${name}` : `-${flag.short}, --${name}`;
    problems.push(refusalOf(written, String(value), result));
  } else if (result !== undefined) return result;
  return flag.default === undefined ? undefined : read(flag.default);
}

/** The flags of one cluster: `name=value` a line, # for comments. `problems` name line and flag, and repeat nothing of the text. */
export function readFlagsText(text: string, file: string, problems: string[]): Flags {
  const rows = new Map<string, Flag>(flagsOfCluster());
  const found = new Map<string, string>();
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    const at = line.indexOf('=');
    const [name, value] =
      at < 0 ? [line.trim(), undefined] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
    if (line.trim() === '' || name.startsWith('#')) continue;
    const row = rows.get(name);
    const before = found.get(name);
    const result = value === undefined ? undefined : row?.read?.(value);
    const wrong = ((): string | undefined => {
      if (!row)
        return `no flag of a cluster has this name: write name=value${didYouMean(name, [...rows.keys()])}`;
      if (value === undefined) return `${name} has no value: write ${name}=value`;
      if (before !== undefined && !row.repeatable)
        return `${name} has a value in a line above: leave one of them`;
      return result instanceof NotAllowed ? refusalOf(name, value, result) : undefined;
    })();
    if (wrong !== undefined) problems.push(`${file}:${index + 1}: ${wrong}`);
    else found.set(name, before === undefined ? (value ?? '') : `${before},${value ?? ''}`);
  }
  return Object.fromEntries([...found].map(([name, value]) => [camel(name), value])) as Flags;
}

/** The flags that a function on AWS gets by its environment. A variable that is empty counts as absent. */
export function flagsFromEnv(env: NodeJS.ProcessEnv): Flags {
  const found = ROWS.filter(([, { lambda }]) => lambda).map(([name, flag]) => [
    camel(name),
    env[variableOf(name, flag) ?? ''],
  ]);
  return Object.fromEntries(found.filter(([, value]) => value)) as Flags;
}

/** Settings that only variables have, each with its description. */
export const VARIABLES = {
  LEVELSET_CLOUD_CONFIG_TEXT: 'the text of cloud.conf, where there is no `--cloud-config`',
  LEVELSET_KUBECONFIG_TEXT: 'the text of a kubeconfig, where there is no `--kubeconfig`',
  LEVELSET_CA_FILE_TEXT: 'the PEM text of the CA of OpenStack, in the place of `ca-file`',
  LEVELSET_CERT_FILE_TEXT: 'the PEM text of the client certificate, in the place of `cert-file`',
  LEVELSET_KEY_FILE_TEXT: 'the PEM text of its key, in the place of `key-file`',
  LEVELSET_AUDIT_TOKENS: 'bearer tokens of `/audit` and `/events`, separated by commas',
  LEVELSET_RESYNC_TOKENS: 'bearer tokens of `/resync`',
  LEVELSET_PAGE_TOKENS:
    'bearer tokens of the status page and `/metrics`, where levelset does not listen on loopback',
  LEVELSET_QUEUE_URL: 'AWS: the FIFO queue of all work',
  LEVELSET_STACK: 'AWS: the ARN of the stack, by which a cluster says whose it is',
  OS_CCM_REGIONAL: '`true`: the providerID of a Node holds the region, as with OCCM; it needs a region',
} as const;
