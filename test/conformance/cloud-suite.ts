import { afterAll } from 'vitest';
import { countedLots } from '../../infra/sandbox/lots.ts';
import { RELEASES } from '../../infra/sandbox/openstack/releases.ts';
import { VirtualClock } from '../../infra/sandbox/sandbox-clock.ts';
import { createSandbox, startSandbox, type Sandbox } from '../../infra/sandbox/sandbox.ts';
import { AUTH_URL, cloudFetch } from '../support/in-process.ts';
import { suiteOf, type Groups } from './cases.ts';
import { CloudSession, type CloudTarget } from './cloud-session.ts';

/** The same cases for the simulator always, and for a real cloud when the environment names one. To be called once in a file. */
export function cloudSuite(groups: Groups<CloudSession>): void {
  let sandbox: Sandbox | undefined;
  afterAll(() => sandbox?.close());
  suiteOf(['the OpenStack simulator', false, timeout], groups, async () => {
    sandbox = await startSandbox({ pendingMs, tokenTtlMs: 86_400_000 });
    return CloudSession.open(simulated(sandbox));
  });
  for (const release of RELEASES) {
    const name = `the OpenStack simulator of ${release} without sockets, on a clock of its own`;
    suiteOf([name, false, timeout], groups, () => {
      const options = { pendingMs, tokenTtlMs: 86_400_000, octavia: { release } };
      const inside = createSandbox(options, new VirtualClock(), countedLots());
      const target = simulated({ authUrl: AUTH_URL, advanceClock: inside.advanceClock });
      return CloudSession.open({ ...target, fetch: cloudFetch(inside) });
    });
  }
  const real = realTarget();
  if (real) suiteOf([`the OpenStack at ${real.name}`, true, timeout], groups, () => CloudSession.open(real));
}

const timeout = 180_000;

const pendingMs = 5000;
const demo = { username: 'demo', password: 'demo', project: 'demo' };

function simulated({ authUrl, advanceClock }: Pick<Sandbox, 'authUrl' | 'advanceClock'>): CloudTarget {
  const stranger = { username: 'other', password: 'other', project: 'other' };
  const hurry = (): void => {
    advanceClock(pendingMs);
  };
  return { name: 'simulator', real: false, authUrl, credentials: demo, stranger, hurry };
}

function realTarget(): CloudTarget | undefined {
  const of = (name: string): string => process.env[`LEVELSET_CONFORMANCE_${name}`] ?? '';
  const [authUrl, region, password] = [of('AUTH_URL'), of('REGION'), of('PASSWORD')];
  if (authUrl === '') return undefined;
  const credentials = { username: of('USERNAME'), password, project: of('PROJECT') };
  const stranger = { username: 'other', password, project: 'other' };
  return { name: authUrl, real: true, authUrl, region, credentials, stranger, hurry: () => undefined };
}
