import type { AwsAccess } from '../../shared/call-aws.ts';

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
