/** The parameters of a deployment: what is wrong with them, which a stack has, and which of those a deployment would take back. */
import { flagsFromEnv, readFlags } from '../../shared/config/read-flags.ts';
import type { Resource } from './cloudformation.ts';

/** As YAML or a command line has them; null is nothing. */
export type Parameters = Readonly<
  Record<string, string | boolean | number | null | readonly unknown[] | undefined>
>;

interface Shape {
  readonly is: RegExp;
  readonly allowed: string;
}

const SWITCH: Shape = { is: /^(true|false)$/, allowed: 'true and false' };

/** Of those that no flag of levelset checks. */
const SHAPES: Readonly<Record<string, Shape>> = {
  'cluster-name': {
    is: /^[\w.~-]+$/,
    allowed: 'letters, digits and -._~, since it is a part of the paths /audit/NAME and /events/NAME',
  },
  parameters: {
    is: /^\/(?!aws|ssm)[\w.-]+(\/[\w.-]+)*$/i,
    allowed:
      'a path of Parameter Store such as /levelset/prod, with no / at its end, and with neither aws nor ssm at its beginning',
  },
  clusters: { is: /^(registry)?$/, allowed: 'registry; leave it out for one cluster' },
  'alarm-topic': { is: /^(arn:[\w-]+:sns:[\w-]+:\d+:[\w.-]+)?$/, allowed: 'the ARN of an SNS topic' },
  'vpc-id': { is: /^(vpc-[0-9a-f]+)?$/, allowed: 'an id such as vpc-0a1b2c3d' },
  'subnet-ids': {
    is: /^(subnet-[0-9a-f]+(,subnet-[0-9a-f]+)*)?$/,
    allowed: 'one text with ids and commas between, such as subnet-0a1b2c3d,subnet-4e5f6071',
  },
  'vpc-endpoints': SWITCH,
  tracing: SWITCH,
  regional: SWITCH,
};

/** The parameters, whose names are `known`, and the variables of the functions that have them; the first thing that is wrong. */
export function problemOf(
  parameters: Parameters,
  known: readonly string[],
  environment: Readonly<Record<string, string>>,
): string | undefined {
  const stranger = Object.keys(parameters).find((name) => !known.includes(name));
  if (stranger !== undefined) return `there is no parameter ${stranger}: allowed are ${known.join(', ')}`;
  for (const [name, { is, allowed }] of Object.entries(SHAPES)) {
    const value = parameters[name];
    if (typeof value === 'object' || !is.test(String(value)))
      return `${name}: ${JSON.stringify(value)} is not allowed: ${allowed}`;
  }
  const { 'vpc-id': vpc, 'subnet-ids': subnets, 'vpc-endpoints': endpoints } = parameters;
  if ((vpc === '') !== (subnets === ''))
    return `vpc-id: ${String(vpc)}, subnet-ids: ${String(subnets)}: give both, or neither for functions outside of a VPC`;
  if (vpc === '' && String(endpoints) === 'true')
    return 'vpc-endpoints: true makes ways out of a VPC: give vpc-id and subnet-ids, or leave it out';
  const problems: string[] = [];
  readFlags(flagsFromEnv(environment), problems);
  return problems[0];
}

/** Those that are variables of each function. */
const VARIABLES = {
  'cluster-name': 'LEVELSET_CLUSTER_NAME',
  'state-namespace': 'LEVELSET_STATE_NAMESPACE',
  'service-account': 'LEVELSET_SERVICE_ACCOUNT',
  controllers: 'LEVELSET_CONTROLLERS',
  'cluster-cidr': 'LEVELSET_CLUSTER_CIDR',
  regional: 'OS_CCM_REGIONAL',
} as const;

/** The parameters that a stack was deployed with, read in its template, whoever wrote them where; none of a stack without functions. */
export function deployedParameters(template: {
  readonly Resources: Readonly<Record<string, Resource>>;
}): Readonly<Record<string, string>> {
  const { Resources: resources } = template;
  const worker = resources['ReconcileLambdaFunction']?.Properties as unknown as
    | {
        readonly Environment: { readonly Variables: Readonly<Record<string, string>> };
        readonly VpcConfig?: { readonly SubnetIds: readonly string[] };
        readonly TracingConfig?: { readonly Mode: string };
      }
    | undefined;
  if (!worker) return {};
  const { Variables: variables } = worker.Environment;
  const registry = variables['LEVELSET_CLUSTERS'];
  const alarm = resources['SweepStoppedAlarm']?.Properties as
    | { readonly AlarmActions?: readonly string[] }
    | undefined;
  const group = resources['FunctionsSecurityGroup']?.Properties as { readonly VpcId: string } | undefined;
  const ofFunctions = Object.entries(VARIABLES).map(([name, variable]) => [name, variables[variable] ?? '']);
  return {
    ...(Object.fromEntries(ofFunctions) as Readonly<Record<string, string>>),
    parameters: (registry ?? variables['LEVELSET_KUBECONFIG_TEXT_PARAMETER'] ?? '').replace(
      /^parameters:|\/kubeconfig$/g,
      '',
    ),
    clusters: registry === undefined ? '' : 'registry',
    'alarm-topic': alarm?.AlarmActions?.[0] ?? '',
    'vpc-id': group?.VpcId ?? '',
    'subnet-ids': worker.VpcConfig?.SubnetIds.join(',') ?? '',
    'vpc-endpoints': String('SqsEndpoint' in resources),
    tracing: String(worker.TracingConfig?.Mode === 'Active'),
  };
}

/** What a deployment would take back: of the parameters that a stack has those that are others now, and that nobody gave. */
export function takenBack(
  deployed: Readonly<Record<string, string>>,
  parameters: Parameters,
  given: readonly string[],
): readonly (readonly [name: string, value: string])[] {
  return Object.entries(deployed).filter(
    ([name, value]) => value !== String(parameters[name]) && !given.includes(name),
  );
}
