/** The flags table against what follows from it: the command line, the functions on AWS, deployments and documents. */
import { Command } from 'commander';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { GO_FLAGS, readGoFlags } from '../../../functions/cli/go-flags.ts';
import { program, withFlags } from '../../../functions/cli/program.ts';
import { type Flag, FLAGS } from '../../../shared/config/flags.ts';
import {
  VARIABLES,
  flagsFromEnv,
  readFlags,
  variableOf,
  type Flags,
} from '../../../shared/config/read-flags.ts';
import { NotAllowed } from '../../../shared/config/read-value.ts';
import { filesOf, textOf } from '../../repo/files.ts';

afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const ROWS = Object.entries(FLAGS) as readonly (readonly [string, Flag])[];
const variablesOf = (rows: typeof ROWS): ReadonlySet<string> =>
  new Set([...rows.flatMap(([name, flag]) => variableOf(name, flag) ?? []), ...Object.keys(VARIABLES)]);
const known = variablesOf(ROWS);

function parse(...argv: readonly string[]): Partial<Flags> {
  return withFlags(new Command(), 'serve').parse(argv, { from: 'user' }).opts();
}

describe('the command line', () => {
  test.each(ROWS)('--%s is in the help of its commands, and of no other', (name, { commands }) => {
    const having = program({}, () => undefined)
      .commands.filter(({ options }) => options.some(({ long }) => long === `--${name}`))
      .map((command) => command.name());
    expect(having.toSorted()).toEqual([...commands].toSorted());
  });

  test('says what a flag sets and what holds without it', () => {
    const [sweep] = program({}, () => undefined).commands.filter((command) => command.name() === 'sweep');
    const help = sweep?.helpInformation().replace(/\s+/g, ' ');
    expect(help).toContain('--cluster-name <name> name of the cluster');
    expect(help).toContain('audit webhook (default: kubernetes) (env: LEVELSET_CLUSTER_NAME)');
    expect(help).toContain('--dry-run print the plans and change nothing');
  });

  test('takes a flag before its variable, and --controllers twice for one list', () => {
    vi.stubEnv('LEVELSET_SWEEP_INTERVAL', '1m');
    vi.stubEnv('LEVELSET_CONTROLLERS', 'service');
    expect(parse()).toEqual({ sweepInterval: '1m', controllers: 'service' });
    const flags = parse('--sweep-interval', '2m', '--controllers=*', '--controllers', '-route');
    expect(flags).toEqual({ sweepInterval: '2m', controllers: '*,-route' });
  });
});

describe('the table', () => {
  test('has a default that is allowed wherever it has one', () => {
    const refused = ROWS.filter(
      ([, row]) => row.default !== undefined && row.read?.(row.default) instanceof NotAllowed,
    );
    expect(refused).toEqual([]);
    expect(readFlags({}, [])).toMatchObject({ sweepInterval: 300_000, clusterCidr: [], dryRun: false });
  });

  test('has no flag that levelset ignores', () => {
    expect(ROWS.filter(([name]) => Object.hasOwn(GO_FLAGS, name))).toEqual([]);
  });
});

describe('the functions on AWS', () => {
  test.each(ROWS.filter(([, { lambda }]) => lambda))('read --%s from its variable', (name, row) => {
    const variable = variableOf(name, row) ?? '';
    expect(flagsFromEnv({ [variable]: 'x' })).toEqual(parse(`--${name}=x`));
    expect(flagsFromEnv({ [variable]: '' })).toEqual({});
  });

  test('read no variable that has no meaning there', () => {
    const others = ROWS.filter(([, { lambda }]) => !lambda).map(([name, row]) => variableOf(name, row) ?? '');
    expect(flagsFromEnv(Object.fromEntries(others.map((variable) => [variable, 'x'])))).toEqual({});
  });
});

describe('deployments and documents', () => {
  const readByFunctions = variablesOf(ROWS.filter(([, { lambda }]) => lambda));

  const DEPLOYED = ['serverless.yml', 'infra/aws/environment.yml'];
  test.each(DEPLOYED)('%s sets no variable that the functions do not read', (path) => {
    const set = [...textOf(path).matchAll(/^ +((?:LEVELSET|OS)_\w+):/gm)].map(([, name = '']) => name);
    expect(set.length).toBeGreaterThan(0);
    const bare = set.map((name) => name.replace(/(_OPTIONAL)?_PARAMETER$/, ''));
    expect(bare.filter((name) => !readByFunctions.has(name))).toEqual([]);
  });

  test('the manifests set no flag and no variable that serve does not have', () => {
    const text = textOf('infra/kubernetes/deployment.yaml');
    const flags = [...text.matchAll(/^ +- '?--([\w-]+)/gm)].map(([, name = '']) => name);
    const variables = [...text.matchAll(/^ +- name: ([A-Z][A-Z_]+)/gm)].map(([, name = '']) => name);
    expect([flags.length, variables.length]).not.toContain(0);
    const serve = ROWS.filter(([, { commands }]) => commands.includes('serve')).map(([name]) => name);
    expect(flags.filter((name) => !serve.includes(name))).toEqual([]);
    const ofNode = ['NODE_OPTIONS', 'MALLOC_ARENA_MAX', 'POD_NAMESPACE', 'POD_NAME'];
    expect(variables.filter((name) => !known.has(name) && !ofNode.includes(name))).toEqual([]);
  });

  const texts = [...filesOf('*.md'), ...filesOf('{docs,infra/aws,infra/kubernetes}/**/*.md')];
  test.each(texts)('%s names no variable that no row knows', (path) => {
    const named = [...textOf(path).matchAll(/\bLEVELSET_[A-Z_]*[A-Z]/g)].map(([name]) => name);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});

// prettier-ignore
test.each<[string, string, string, ...(readonly string[])]>([
  ['flags that have no effect are taken out, each with a note', '--leader-elect=true --node-monitor-period 5s --cluster-name blue --controllers=*,-route', '--cluster-name blue --controllers=*,-route',
    'levelset ignores --leader-elect: of its processes one always leads, by the Lease `levelset`',
    'levelset ignores --node-monitor-period: audit events and the sweep tell it what to look at'],
  ['-v=4 is -v 4', '-v=4 --v=2', '-v 4 --v=2'],
  ['what neither program knows stays for the parser, without its value', '--toString --constructor=1 service/a/b', '--toString --constructor service/a/b'],
  ['a boolean that both programs have needs no value', '--configure-cloud-routes --dry-run', '--configure-cloud-routes=true --dry-run'],
])('%s', (_, given, rest, ...notes) => {
  const read = readGoFlags(['serve', ...given.split(' ')]);
  expect([read.rest.join(' '), read.notes]).toEqual([`serve ${rest}`, notes]);
});

test.each(Object.entries(GO_FLAGS))('--%s is taken out, however its value is given', (name, { value }) => {
  for (const words of [[`--${name}=x`], value ? [`--${name}`, 'x'] : [`--${name}`]]) {
    const { rest, notes } = readGoFlags(['serve', ...words, '--watch']);
    expect(rest).toEqual(['serve', '--watch']);
    expect(notes).toEqual([expect.stringContaining(`levelset ignores --${name}: `)]);
  }
});
