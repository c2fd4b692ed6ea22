import { type AwsAccess, callAws, type AwsAnswer } from '../../shared/call-aws.ts';
import { fieldsOf, parseJson, stringAt } from '../../shared/model/json.ts';

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

export function required(env: NodeJS.ProcessEnv, name: string): string {
  const value = env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
}

const SUFFIX = '_PARAMETER';
const OPTIONAL_SUFFIX = '_OPTIONAL_PARAMETER';
export const LONGEST_MS = 5_000;
/** The most names of one GetParameters call. */
const PAGE = 10;

/** Parameter Store answered, and has no such parameter. */
export class NoSuchParameter extends Error {
  override readonly name = 'NoSuchParameter';
}

interface Named {
  readonly variable: string;
  readonly parameter: string;
  readonly isOptional: boolean;
}

/** Reads secrets: X_PARAMETER names the SecureString that holds X, X_OPTIONAL_PARAMETER an optional one. Else throws NoSuchParameter. */
export async function withParameters(env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  const named = Object.entries(env).flatMap(([name, parameter]) => readName(name, parameter));
  if (named.length === 0) return env;
  const values = await getParameters([...new Set(named.map(({ parameter }) => parameter))], env);
  const missing = named.filter(({ parameter, isOptional }) => !isOptional && !values.has(parameter));
  if (missing.length > 0)
    throw new NoSuchParameter(`SSM has no parameter ${missing.map(({ parameter }) => parameter).join(', ')}`);
  return {
    ...env,
    ...Object.fromEntries(named.map(({ variable, parameter }) => [variable, values.get(parameter)])),
  };
}

function readName(name: string, parameter: string | undefined): readonly Named[] {
  const suffix = [OPTIONAL_SUFFIX, SUFFIX].find((end) => name.endsWith(end));
  if (suffix === undefined || !parameter) return [];
  return [{ variable: name.slice(0, -suffix.length), parameter, isOptional: suffix === OPTIONAL_SUFFIX }];
}

export interface StoreAnswer {
  readonly Parameters: readonly {
    readonly Name: string;
    readonly Value: string;
    /** In seconds since 1970. */
    readonly LastModifiedDate: number;
  }[];
  readonly NextToken?: string;
}

/** What Parameter Store has answered. Undefined: it is another one's text, such as a proxy's. */
export function readStoreAnswer(text: string): StoreAnswer | undefined {
  const answer = parseJson(text);
  const { Parameters } = fieldsOf(answer);
  const isOne = (it: unknown): boolean =>
    stringAt(it, 'Name') !== undefined && stringAt(it, 'Value') !== undefined;
  return Array.isArray(Parameters) && Parameters.every(isOne) ? (answer as StoreAnswer) : undefined;
}

async function getParameters(
  names: readonly string[],
  env: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, string>> {
  const pages = Array.from({ length: Math.ceil(names.length / PAGE) }, (_, index) =>
    names.slice(index * PAGE, (index + 1) * PAGE),
  );
  const found = pages.map(async (page) => {
    const fields = { Names: page, WithDecryption: true };
    const { status, text } = await callParameterStore('GetParameters', fields, env, LONGEST_MS);
    const asked = `GetParameters of ${page.join(', ')}`;
    if (status !== 200) throw new Error(`SSM answered ${status} to ${asked}: ${text.slice(0, 300)}`);
    const answer = readStoreAnswer(text);
    if (!answer) throw new Error(`another program than Parameter Store answered ${asked}`);
    return answer.Parameters;
  });
  return new Map((await Promise.all(found)).flat().map(({ Name, Value }) => [Name, Value]));
}

export function callParameterStore(
  action: 'GetParameters' | 'GetParametersByPath',
  fields: object,
  env: NodeJS.ProcessEnv,
  limitMs: number,
): Promise<AwsAnswer> {
  const access = awsAccess(env);
  const call = {
    ...({ service: 'ssm', version: '1.1', target: `AmazonSSM.${action}` } as const),
    url: env['AWS_ENDPOINT_URL_SSM'] ?? `https://ssm.${access.region}.amazonaws.com/`,
    fields,
  };
  return callAws(call, access, limitMs);
}
