import type { Resource } from './cloudformation.ts';
import { registryRights } from './registry.ts';

/** What decides the rights of a function. */
export interface Needs {
  /** The function's own name, of which its log group is called. */
  readonly functionName: string;
  readonly environment: Readonly<Record<string, unknown>>;
  /** The ARNs of the queues that the function works on. */
  readonly worksOn: readonly unknown[];
  readonly inVpc: boolean;
  readonly traced: boolean;
}

interface Statement {
  readonly Effect: 'Allow';
  readonly Action: readonly string[];
  readonly Resource: readonly unknown[];
}

const VPC_ACTIONS = [
  'ec2:CreateNetworkInterface',
  'ec2:DescribeNetworkInterfaces',
  'ec2:DescribeSubnets',
  'ec2:DeleteNetworkInterface',
  'ec2:AssignPrivateIpAddresses',
  'ec2:UnassignPrivateIpAddresses',
];
const TRACE_ACTIONS = ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'];
const WORK_ACTIONS = [
  'sqs:ReceiveMessage',
  'sqs:DeleteMessage',
  'sqs:GetQueueAttributes',
  'sqs:ChangeMessageVisibility',
];

/**
 * The role of a function: its own log, the parameters that its variables X_PARAMETER name, and what it needs of a registry, the queues that its variables X_URL
 * name, and the queues that it works on. AWS has no narrower resource than `*` for network interfaces and traces.
 */
export function functionRole({ functionName, environment, worksOn, inVpc, traced }: Needs): Resource {
  const variables = Object.entries(environment);
  const parameters = variables.filter(([name]) => name.endsWith('_PARAMETER'));
  const queues = variables.filter(([name]) => name.endsWith('_URL'));
  const registry = Object.entries(registryRights(environment));
  return role('lambda.amazonaws.com', [
    allow(
      ['logs:CreateLogStream', 'logs:PutLogEvents'],
      [arn('logs', `log-group:/aws/lambda/${functionName}:log-stream:*`)],
    ),
    allow(
      ['ssm:GetParameters'],
      parameters.map(([, path]) => arn('ssm', `parameter${String(path)}`)),
    ),
    ...registry.map(([action, paths]) =>
      allow(
        [action],
        paths.map((path) => arn('ssm', `parameter${path}`)),
      ),
    ),
    allow(
      ['sqs:SendMessage'],
      queues.map(([, url]) => ({ 'Fn::GetAtt': [(url as { readonly Ref: string }).Ref, 'Arn'] })),
    ),
    allow(WORK_ACTIONS, worksOn),
    allow(VPC_ACTIONS, inVpc ? ['*'] : []),
    allow(TRACE_ACTIONS, traced ? ['*'] : []),
  ]);
}

/** The role by which the schedule starts a function, through its alias alone. */
export function scheduleRole(alias: string): Resource {
  const ofThisAccount = { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } };
  return role('scheduler.amazonaws.com', [allow(['lambda:InvokeFunction'], [{ Ref: alias }])], {
    Condition: ofThisAccount,
  });
}

function role(
  service: string,
  statements: readonly (readonly Statement[])[],
  condition: object = {},
): Resource {
  const assume = {
    Effect: 'Allow',
    Principal: { Service: service },
    Action: 'sts:AssumeRole',
    ...condition,
  };
  return {
    Type: 'AWS::IAM::Role',
    Properties: {
      AssumeRolePolicyDocument: { Version: '2012-10-17', Statement: [assume] },
      Policies: [
        {
          PolicyName: 'levelset',
          PolicyDocument: { Version: '2012-10-17', Statement: statements.flat() },
        },
      ],
    },
  };
}

/** No statement when there is nothing to allow it for. */
function allow(Action: readonly string[], Resource: readonly unknown[]): readonly Statement[] {
  return Resource.length === 0 ? [] : [{ Effect: 'Allow', Action, Resource }];
}

function arn(service: string, resource: string): unknown {
  return { 'Fn::Sub': `arn:\${AWS::Partition}:${service}:\${AWS::Region}:\${AWS::AccountId}:${resource}` };
}
