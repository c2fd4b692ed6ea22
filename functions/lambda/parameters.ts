import { AwsClient } from 'aws4fetch';

const SUFFIX = '_PARAMETER';
/** The time for the one call at a cold start. */
const LONGEST_MS = 5_000;

/**
 * The environment with its secrets: a variable X_PARAMETER names the parameter of SSM Parameter Store (a SecureString) that
 * holds X. One GetParameters call reads all of them. Throws if one is missing.
 */
export async function withParameters(env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const named = Object.entries(env).flatMap(([variable, parameter]) =>
    variable.endsWith(SUFFIX) && parameter
      ? [{ variable: variable.slice(0, -SUFFIX.length), parameter }]
      : [],
  );
  if (named.length === 0) return env;
  const values = await getParameters(
    named.map(({ parameter }) => parameter),
    env,
  );
  return {
    ...env,
    ...Object.fromEntries(named.map(({ variable, parameter }) => [variable, values.get(parameter)])),
  };
}

interface Answer {
  readonly Parameters?: readonly { readonly Name: string; readonly Value: string }[];
  readonly InvalidParameters?: readonly string[];
}

async function getParameters(
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, string>> {
  const { region, credentials } = awsAccess(env);
  const aws = new AwsClient({ ...credentials, region, service: 'ssm', retries: 2, initRetryMs: 100 });
  const response = await aws.fetch(env['AWS_ENDPOINT_URL_SSM'] ?? `https://ssm.${region}.amazonaws.com/`, {
    method: 'POST',
    signal: AbortSignal.timeout(LONGEST_MS),
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AmazonSSM.GetParameters' },
    body: JSON.stringify({ Names: [...new Set(names)], WithDecryption: true }),
  });
  const text = await response.text();
  if (!response.ok)
    throw new Error(`SSM answered ${response.status} to GetParameters of ${names.join(', ')}`);
  const { Parameters: found = [], InvalidParameters: missing = [] } = JSON.parse(text) as Answer;
  if (missing.length > 0) throw new Error(`SSM has no parameter ${missing.join(', ')}`);
  return new Map(found.map(({ Name, Value }) => [Name, Value]));
}

/** The region and credentials that Lambda gives to a function. */
export interface AwsAccess {
  readonly region: string;
  readonly credentials: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
}

export function awsAccess(env: NodeJS.ProcessEnv): AwsAccess {
  const sessionToken = env['AWS_SESSION_TOKEN'];
  return {
    region: required(env, 'AWS_REGION'),
    credentials: {
      accessKeyId: required(env, 'AWS_ACCESS_KEY_ID'),
      secretAccessKey: required(env, 'AWS_SECRET_ACCESS_KEY'),
      ...(sessionToken && { sessionToken }),
    },
  };
}

/** Throws an error that names the variable. */
export function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}
