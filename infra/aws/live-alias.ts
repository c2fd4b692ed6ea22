import { titled, type Resource } from './cloudformation.ts';

const LIVE = 'live';

/** What osls keeps of a function. */
export interface DeployedFunction {
  /** The alias that osls aims routes, event sources, schedules and permissions at. */
  targetAlias?: { readonly name: string; readonly logicalId: string };
  /** The version that osls makes when the code or the configuration differs from the last one. */
  readonly versionLogicalId?: string;
}

/**
 * Every caller goes through the alias `live`. A version stays when the next one is deployed, so an alias that is set back to it
 * is the way back.
 */
export function aimAtLiveAlias(functions: Readonly<Record<string, DeployedFunction>>): void {
  for (const [name, deployed] of Object.entries(functions)) {
    deployed.targetAlias = { name: LIVE, logicalId: `${titled(name)}LiveAlias` };
  }
}

/** The aliases themselves, by logical id. */
export function liveAliases(
  functions: Readonly<Record<string, DeployedFunction>>,
): Readonly<Record<string, Resource>> {
  return Object.fromEntries(
    Object.entries(functions).map(([name, { versionLogicalId }]) => [
      `${titled(name)}LiveAlias`,
      {
        Type: 'AWS::Lambda::Alias',
        Properties: {
          FunctionName: { Ref: `${titled(name)}LambdaFunction` },
          FunctionVersion: { 'Fn::GetAtt': [versionLogicalId, 'Version'] },
          Name: LIVE,
        },
      },
    ]),
  );
}
