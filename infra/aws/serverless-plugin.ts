import { CloudFormationClient, GetTemplateCommand } from '@aws-sdk/client-cloudformation';
import type { CloudFormationClientConfig } from '@aws-sdk/client-cloudformation';
import { titled, withoutNeedlessDependencies, type Resource } from './cloudformation.ts';
import { functionAlarms } from './function-alarms.ts';
import { aimAtLiveAlias, liveAliases, type DeployedFunction } from './live-alias.ts';
import { deployedParameters, problemOf, takenBack, type Parameters } from './parameters.ts';
import { routesForRegistry, variablesForRegistry } from './registry.ts';
import { functionRole, scheduleRole } from './roles.ts';

type Resources = Record<string, Resource>;

/** What the plugin uses of osls. */
interface Serverless {
  /** An error of this class is shown without a stack. */
  readonly classes: { readonly Error: new (message: string, code: string) => Error };
  readonly configurationInput: { readonly params: Readonly<Record<string, Parameters>> };
  readonly processedInput: { readonly options: { readonly param?: readonly string[] } };
  getProvider(name: 'aws'): {
    getAwsSdkV3Config(): Promise<CloudFormationClientConfig>;
    readonly naming: { getStackName(): string };
  };
  readonly service: {
    readonly functions: Readonly<Record<string, PackagedFunction>>;
    readonly custom: { readonly deployment: Deployment; readonly given: Parameters | null };
    readonly resources: { readonly Resources: Resources };
    readonly provider: {
      vpc?: unknown;
      tracing?: unknown;
      readonly timeout: number;
      readonly stage: string;
      readonly environment: Readonly<Record<string, string>>;
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
  readonly 'vpc-endpoints': string | boolean;
  readonly tracing: string | boolean;
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
  readonly hooks: Readonly<Record<string, () => void | Promise<void>>>;

  constructor(serverless: Serverless) {
    const { service, classes } = serverless;
    const refuse = (problem: string | undefined): void => {
      if (problem !== undefined) throw new classes.Error(problem, 'PARAMETER');
    };
    this.hooks = {
      'before:package:setupProviderConfiguration': () => {
        const { known, all } = parametersOf(serverless);
        refuse(problemOf(all, known, service.provider.environment));
        begin(service);
      },
      'after:aws:package:finalize:mergeCustomProviderResources': () => {
        finish(service);
      },
      'before:aws:deploy:deploy:createStack': async () => {
        refuse(await lossOf(serverless));
      },
    };
  }
}

/** Those that there are, those that somebody gave by the file, for the stage or on the command line, and all of them with their defaults. */
function parametersOf({ service, configurationInput, processedInput }: Serverless): {
  readonly known: readonly string[];
  readonly given: Parameters;
  readonly all: Parameters;
} {
  const { default: defaults = {}, [service.provider.stage]: ofStage = {} } = configurationInput.params;
  const typed = (processedInput.options.param ?? []).map((text) => /^([^=]+)=(.*)$/.exec(text) ?? []);
  const named: Parameters = {
    ...service.custom.given,
    ...ofStage,
    ...(Object.fromEntries(typed.map(([, name, value]) => [name, value])) as Parameters),
  };
  const given = Object.fromEntries(Object.entries(named).filter(([, value]) => value !== null));
  return { known: Object.keys(defaults), given, all: { ...defaults, ...given } };
}

/** What the stack that is there would lose, in words. */
async function lossOf(serverless: Serverless): Promise<string | undefined> {
  const provider = serverless.getProvider('aws');
  const stack = provider.naming.getStackName();
  const client = new CloudFormationClient(await provider.getAwsSdkV3Config());
  let text: string | undefined;
  try {
    ({ TemplateBody: text } = await client.send(new GetTemplateCommand({ StackName: stack })));
  } catch (error) {
    if (error instanceof Error && error.message.includes('does not exist')) return undefined;
    throw error;
  }
  const { given, all } = parametersOf(serverless);
  const deployed = deployedParameters(
    JSON.parse(text ?? '{"Resources":{}}') as { readonly Resources: Resources },
  );
  const lost = takenBack(deployed, all, Object.keys(given));
  const file = `my-cluster/aws-${serverless.service.provider.stage}.yml`;
  return lost.length === 0
    ? undefined
    : `the stack ${stack} has parameters that nobody gives this deployment, which would take them back. Write them into ${file}, or there what they are to be:\n${lost.map(([name, value]) => `${name}: ${value.replace(/^$/, "''")}`).join('\n')}`;
}

function begin({ functions, custom: { deployment }, provider, resources }: Serverless['service']): void {
  const inVpc = deployment['vpc-id'] !== '';
  const traced = String(deployment.tracing) === 'true';
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
    if (String(deployment['vpc-endpoints']) === 'true')
      Object.assign(resources.Resources, deployment.endpoints);
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
