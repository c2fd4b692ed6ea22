import type { Flags } from '../../../shared/config/read-flags.ts';
import { asReconcileError } from '../../../shared/model/errors.ts';
import { connectWithLogins } from '../../connect-with-logins.ts';
import type { Connected } from '../../world.ts';
import { commandLog } from '../terminal/command-log.ts';
import { printObjects, printsObjects } from '../outputs.ts';
import { RegisteredClusters } from '../registered-clusters.ts';
import { cloudSource } from './examined.ts';
import { examine } from './examine.ts';
import { renderFindings, type Finding } from './finding.ts';

/**
 * `levelset doctor`: looks at everything that levelset needs, and changes nothing. Prints each finding with what mends it. Exit 1 if
 * one is a failure; a warning is none.
 */
export async function doctorCommand(flags: Flags, env: NodeJS.ProcessEnv): Promise<number> {
  const clusters = flags.clusters
    ? await registered(flags, env)
    : [{ connect: () => connectWithLogins({ flags, env, log: commandLog(flags) }) }];
  const all: (Finding & { readonly cluster?: string })[] = [];
  for (const { name, connect } of clusters) {
    const findings = await findingsOf(connect, { flags, env, ...(name !== undefined && { entry: name }) });
    all.push(...findings.map((finding) => ({ ...(name !== undefined && { cluster: name }), ...finding })));
    if (!printsObjects(flags))
      console.log(`${name === undefined ? '' : `${name}:\n`}${renderFindings(findings)}`);
  }
  if (printsObjects(flags)) await printObjects(all, flags);
  return all.some(({ level }) => level === 'failure') ? 1 : 0;
}

interface Cluster {
  readonly name?: string;
  readonly connect: () => Promise<Connected>;
}

/** Each entry of --clusters, or that of --cluster. */
async function registered(flags: Flags, env: NodeJS.ProcessEnv): Promise<readonly Cluster[]> {
  const entries = await RegisteredClusters.of(flags, env);
  const names = flags.cluster ? [await entries.one(flags)] : await entries.names();
  return names.map((name) => ({ name, connect: () => entries.connect(name) }));
}

async function findingsOf(
  connect: () => Promise<Connected>,
  about: { readonly flags: Flags; readonly env: NodeJS.ProcessEnv; readonly entry?: string },
): Promise<readonly Finding[]> {
  let connected: Connected;
  try {
    connected = await connect();
  } catch (error) {
    const remedy = `correct what the message names; ${cloudSource(about)} and the flags are read again by:\nlevelset doctor`;
    return [{ area: 'configuration', level: 'failure', what: asReconcileError(error).message, remedy }];
  }
  const ok: Finding = {
    area: 'configuration',
    level: 'ok',
    what: 'flags, cloud.conf and kubeconfig can be read',
  };
  return [ok, ...(await examine({ connected, ...about }))];
}
