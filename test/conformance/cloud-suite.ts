import { afterAll, afterEach, beforeAll, describe } from 'vitest';
import { countedLots } from '../../infra/sandbox/lots.ts';
import { RELEASES } from '../../infra/sandbox/openstack/releases.ts';
import { VirtualClock } from '../../infra/sandbox/sandbox-clock.ts';
import { createSandbox, startSandbox, type Sandbox } from '../../infra/sandbox/sandbox.ts';
import { AUTH_URL, cloudFetch } from '../support/in-process.ts';
import { testGroups, type Groups } from './cases.ts';
import { CloudSession, type CloudTarget } from './cloud-session.ts';

/** The same cases for the simulator always, and for a real cloud when the environment names one. To be called once in a file. */
export function cloudSuite(groups: Groups<CloudSession>): void {
  let sandbox: Sandbox | undefined;
  afterAll(() => sandbox?.close());
  suiteOf(groups, 'the OpenStack simulator', async () => {
    sandbox = await startSandbox({ pendingMs, tokenTtlMs: 86_400_000 });
    return simulated(sandbox);
  });
  for (const release of RELEASES)
    suiteOf(groups, `the OpenStack simulator of ${release} without sockets, on a clock of its own`, () => {
      const options = { pendingMs, tokenTtlMs: 86_400_000, octavia: { release } };
      const inside = createSandbox(options, new VirtualClock(), countedLots());
      const target = simulated({ authUrl: AUTH_URL, advanceClock: inside.advanceClock });
      return Promise.resolve({ ...target, fetch: cloudFetch(inside) });
    });
  const real = realTarget();
  if (real) suiteOf(groups, `the OpenStack at ${real.name}`, () => Promise.resolve(real), true);
}

function suiteOf(
  groups: Groups<CloudSession>,
  name: string,
  open: () => Promise<CloudTarget>,
  real = false,
): void {
  describe(name, { timeout: 180_000 }, () => {
    let session: CloudSession;
    beforeAll(async () => {
      session = await CloudSession.open(await open());
    });
    afterEach(() => session.cleanUp(), 180_000);
    testGroups(groups, () => session, real);
  });
}

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
  const { env } = process;
  const authUrl = env['LEVELSET_CONFORMANCE_AUTH_URL'];
  if (authUrl === undefined) return undefined;
  const password = env['LEVELSET_CONFORMANCE_PASSWORD'] ?? demo.password;
  const region = env['LEVELSET_CONFORMANCE_REGION'] ?? 'RegionOne';
  const credentials = {
    username: env['LEVELSET_CONFORMANCE_USERNAME'] ?? demo.username,
    password,
    project: env['LEVELSET_CONFORMANCE_PROJECT'] ?? demo.project,
  };
  const other = env['LEVELSET_CONFORMANCE_OTHER'] ?? 'other';
  const stranger = { username: other, password, project: other };
  return { name: authUrl, real: true, authUrl, region, credentials, stranger, hurry: () => undefined };
}
