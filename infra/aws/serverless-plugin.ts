import { titled, withoutNeedlessDependencies, type Resource } from './cloudformation.ts';
import { functionAlarms } from './function-alarms.ts';
import { aimAtLiveAlias, liveAliases, type DeployedFunction } from './live-alias.ts';
import { routesForRegistry, variablesForRegistry } from './registry.ts';
import { functionRole, scheduleRole } from './roles.ts';

type Resources = Record<string, Resource>;

/** What the plugin uses of osls. */
interface Serverless {
  /** An error of this class is shown without a stack. */
  readonly classes: { readonly Error: new (message: string, code: string) => Error };
  readonly service: {
    readonly functions: Readonly<Record<string, PackagedFunction>>;
    readonly custom: { readonly deployment: Deployment };
    readonly resources: { readonly Resources: Resources };
    readonly provider: {
      vpc?: unknown;
      tracing?: unknown;
      readonly timeout: number;
      readonly compiledCloudFormationTemplate: { readonly Resources: Resources };
    };
  };
}

interface PackagedFunction extends DeployedFunction {
  readonly name: string;
  readonly timeout?: number;
  environment: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly sqs?: { readonly arn: unknown } }[];
}

/** The parameters that decide which resources there are. */
interface Deployment {
  readonly 'vpc-id': string;
  readonly 'subnet-ids': string;
  readonly 'vpc-endpoints': string;
  readonly tracing: string;
  readonly 'alarm-topic': string;
  readonly clusters: string;
  /** The path of the parameters. */
  readonly parameters: string;
  readonly securityGroup: Resources;
  readonly endpoints: Resources;
}

/**
 * What serverless.yml cannot say: a role for each function, an alias that every caller goes through, and what there is only when
 * a parameter asks for it. A parameter is decided when the template is made, because osls makes a new version of a function only
 * when the template differs.
 */
export default class LevelsetPlugin {
  readonly hooks: Readonly<Record<string, () => void>>;

  constructor({ service, classes }: Serverless) {
    this.hooks = {
      'before:package:setupProviderConfiguration': () => {
        const problem = problemOf(service.custom.deployment);
        if (problem !== undefined) throw new classes.Error(problem, 'PARAMETER');
        begin(service);
      },
      'after:aws:package:finalize:mergeCustomProviderResources': () => {
        finish(service);
      },
    };
  }
}

function begin({ functions, custom: { deployment }, provider, resources }: Serverless['service']): void {
  const inVpc = deployment['vpc-id'] !== '';
  const traced = deployment.tracing === 'true';
  aimAtLiveAlias(functions);
  if (deployment.clusters === 'registry')
    for (const each of Object.values(functions))
      each.environment = variablesForRegistry(each.environment, deployment.parameters);
  if (traced) provider.tracing = { lambda: 'Active' };
  if (inVpc) {
    provider.vpc = {
      subnetIds: deployment['subnet-ids'].split(','),
      securityGroupIds: [{ 'Fn::GetAtt': ['FunctionsSecurityGroup', 'GroupId'] }],
    };
    Object.assign(resources.Resources, deployment.securityGroup);
    if (deployment['vpc-endpoints'] === 'true') Object.assign(resources.Resources, deployment.endpoints);
  }
  for (const [name, { name: functionName, environment, events }] of Object.entries(functions)) {
    const worksOn = events.flatMap(({ sqs }) => sqs?.arn ?? []);
    const needs = { functionName, environment, worksOn, inVpc, traced };
    resources.Resources[`${titled(name)}Role`] = functionRole(needs);
  }
  resources.Resources['ScheduleRole'] = scheduleRole('SweepLiveAlias');
}

function finish({ functions, custom, provider }: Serverless['service']): void {
  const { Resources: resources } = provider.compiledCloudFormationTemplate;
  const timeouts = Object.entries(functions).map(
    ([name, { timeout = provider.timeout }]) => [name, timeout] as const,
  );
  Object.assign(resources, liveAliases(functions), functionAlarms(timeouts));
  if (custom.deployment.clusters === 'registry') Object.assign(resources, routesForRegistry(resources));
  const topic = custom.deployment['alarm-topic'];
  for (const [name, resource] of Object.entries(resources)) {
    resources[name] = withoutNeedlessDependencies(
      resource.Type === 'AWS::CloudWatch::Alarm' && topic !== ''
        ? { ...resource, Properties: { ...resource.Properties, AlarmActions: [topic], OKActions: [topic] } }
        : resource,
    );
  }
}

/** What is wrong with the parameters. */
function problemOf(deployment: Deployment): string | undefined {
  const { 'vpc-id': vpc, 'subnet-ids': subnets } = deployment;
  if ((vpc === '') !== (subnets === '')) {
    return `--param vpc-id=${vpc} --param subnet-ids=${subnets}: give both, or neither for functions outside of a VPC`;
  }
  const { clusters } = deployment;
  if (!['', 'registry'].includes(clusters))
    return `--param clusters=${clusters}: allowed is registry; leave it out for one cluster`;
  const flags = ['tracing', 'vpc-endpoints'] as const;
  const wrong = flags.find((name) => !['true', 'false'].includes(deployment[name]));
  return wrong && `--param ${wrong}=${deployment[wrong]}: allowed are true and false`;
}
