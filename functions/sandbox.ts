import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { startSandbox, type Sandbox } from '../infra/sandbox/sandbox.ts';
import { needFlags, type Flags } from '../shared/config/read-flags.ts';
import type { RunCommand } from './cli/command.ts';
import { untilSignal } from './cli/until-signal.ts';
import { createLog } from './log.ts';
import { readExamples, Story } from './sandbox/story.ts';
import { writeAccess, type SandboxAccess } from './sandbox/access-files.ts';
import { serve } from './serve.ts';

const JOINING = 'node-4';
const LOOK_MS = 500;

/** `levelset sandbox`: the simulators on loopback until a signal. With --serve also levelset, the examples, a Node that joins, and the story. */
export const sandboxCommand: RunCommand = async (_words, flags, env) => {
  const { openstackRelease: release } = needFlags(flags);
  const sandbox = await startSandbox({ pendingMs: 1_500, kubeTls: true, octavia: { release } });
  const access = await writeAccess(sandbox);
  try {
    if (flags.serve) await serveAndTell(flags, env, sandbox, access);
    else await explain(access);
  } finally {
    await sandbox.close();
    await rm(access.directory, { recursive: true, force: true });
  }
  return 0;
};

async function explain(access: SandboxAccess): Promise<void> {
  console.log('Simulators of OpenStack and the kube-apiserver run on loopback. In another terminal:\n');
  for (const [name, value] of Object.entries(access.variables)) console.log(`  export ${name}=${value}`);
  console.log(
    '\nThen: levelset serve. KUBECONFIG is for kubectl, with all rights and the certificate of this kube-apiserver. Ctrl-C ends the simulators, and removes these files.',
  );
  await untilSignal();
}

async function serveAndTell(
  flags: Flags,
  env: NodeJS.ProcessEnv,
  sandbox: Sandbox,
  access: SandboxAccess,
): Promise<void> {
  const story = new Story((line) => {
    console.log(line);
  });
  const auditToken = randomBytes(24).toString('base64url');
  const resyncToken = randomBytes(24).toString('base64url');
  const serving = await serve({
    flags: { ...flags, kubeconfig: access.levelsetKubeconfig, cloudConfig: access.cloudConfig },
    env: { ...env, LEVELSET_AUDIT_TOKENS: auditToken, LEVELSET_RESYNC_TOKENS: resyncToken },
    log: createLog('warn'),
    reported: (report) => {
      story.tell(report);
    },
  });
  let looking: NodeJS.Timeout | undefined;
  try {
    sandbox.setAuditSink(`${serving.url}/audit/kubernetes`, auditToken);
    story.begin(serving.url, access, resyncToken);
    for (const service of await readExamples()) {
      story.applied(service);
      sandbox.kube.apply(service);
    }
    let joined = false;
    let idleLooks = 0;
    looking = setInterval(() => {
      idleLooks = serving.idle() ? idleLooks + 1 : 0;
      if (idleLooks > 0 && !joined) {
        const { id } = sandbox.cloud.addNovaServer(JOINING);
        sandbox.kube.registerNode(JOINING, { systemUUID: id });
        story.joined(JOINING);
        joined = true;
      } else if (idleLooks > 1 && story.isSettled(JOINING) && isMemberOfAll(JOINING, sandbox.cloud)) {
        clearInterval(looking);
        story.end(serving.url);
      }
    }, LOOK_MS);
    await untilSignal();
  } finally {
    clearInterval(looking);
    sandbox.setAuditSink(undefined);
    await serving.stop();
  }
}

/** Its Event may come long after the Node is settled, on a machine that others use. */
function isMemberOfAll(node: string, { members, pools }: Sandbox['cloud']): boolean {
  const active = members.filter(
    ({ name, provisioning_status }) => name === node && provisioning_status === 'ACTIVE',
  );
  return pools.every(({ id }) => active.some(({ pool_id }) => pool_id === id));
}
