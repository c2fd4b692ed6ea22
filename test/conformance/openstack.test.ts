import { afterAll, afterEach, beforeAll, describe, it } from 'vitest';
import { countedLots } from '../../infra/sandbox/lots.ts';
import { createSandbox, startSandbox, type Sandbox } from '../../infra/sandbox/sandbox.ts';
import { VirtualClock } from '../../infra/sandbox/sandbox-clock.ts';
import { AUTH_URL, cloudFetch } from '../support/in-process.ts';
import { addressPairCases } from './address-pair-cases.ts';
import { balancerCases } from './balancer-cases.ts';
import { balancerQueryCases } from './balancer-query-cases.ts';
import type { CloudCase } from './cloud-case.ts';
import { CloudSession, type CloudTarget } from './cloud-session.ts';
import { dualStackCases } from './dual-stack-cases.ts';
import { floatingIpCases } from './floating-ip-cases.ts';
import { healthMonitorCases } from './health-monitor-cases.ts';
import { identityCases } from './identity-cases.ts';
import { l7PolicyCases } from './l7-policy-cases.ts';
import { l7RuleCases } from './l7-rule-cases.ts';
import { listenerAttributeCases } from './listener-attribute-cases.ts';
import { listenerCases } from './listener-cases.ts';
import { listenerTlsCases } from './listener-tls-cases.ts';
import { lockCases } from './lock-cases.ts';
import { memberCases } from './member-cases.ts';
import { poolAttributeCases } from './pool-attribute-cases.ts';
import { portCases } from './port-cases.ts';
import { routeCases } from './route-cases.ts';
import { routerCases } from './router-cases.ts';
import { secretCases } from './secret-cases.ts';
import { securityGroupCases } from './security-group-cases.ts';
import { serverCases } from './server-cases.ts';
import { serverListCases } from './server-list-cases.ts';
import { vipCases } from './vip-cases.ts';

const groups: Record<string, readonly CloudCase[]> = {
  identity: identityCases,
  'load balancers': balancerCases,
  'lists and look-ups': balancerQueryCases,
  'the lock': lockCases,
  'listeners, pools and monitors': listenerCases,
  'attributes of listeners': listenerAttributeCases,
  'TLS of listeners': listenerTlsCases,
  'attributes of pools and members': poolAttributeCases,
  'health monitors': healthMonitorCases,
  'L7 policies': l7PolicyCases,
  'L7 rules': l7RuleCases,
  members: memberCases,
  VIPs: vipCases,
  'VIPs of both families': dualStackCases,
  secrets: secretCases,
  'security groups': securityGroupCases,
  'ports and their groups': portCases,
  'floating IPs and ports': floatingIpCases,
  routers: routerCases,
  'routes of routers': routeCases,
  'addresses that a port may use': addressPairCases,
  servers: serverCases,
  'lists and addresses of servers': serverListCases,
};

/** The same cases for whatever `open` gives: the simulator always, a real cloud when the environment names one. */
function suite(name: string, open: () => Promise<CloudTarget>, real: boolean): void {
  describe(name, { timeout: 180_000 }, () => {
    let session: CloudSession;
    beforeAll(async () => {
      session = await CloudSession.open(await open());
    });
    afterEach(() => session.cleanUp(), 180_000);
    for (const [group, cases] of Object.entries(groups)) {
      describe(group, () => {
        for (const one of cases) {
          it.skipIf(real && one.sandboxOnly !== undefined)(one.name, () => one.run(session));
        }
      });
    }
  });
}

let sandbox: Sandbox | undefined;
afterAll(() => sandbox?.close());

const pendingMs = 5000;
const demo = { username: 'demo', password: 'demo', project: 'demo' };
suite(
  'the OpenStack simulator',
  async () => {
    sandbox = await startSandbox({ pendingMs, tokenTtlMs: 86_400_000 });
    const { authUrl, advanceClock } = sandbox;
    const stranger = { username: 'other', password: 'other', project: 'other' };
    const hurry = (): void => {
      advanceClock(pendingMs);
    };
    return { name: 'simulator', real: false, authUrl, credentials: demo, stranger, hurry };
  },
  false,
);

suite(
  'the OpenStack simulator without sockets, on a clock of its own',
  () => {
    const options = { pendingMs, tokenTtlMs: 86_400_000 };
    const inside = createSandbox(options, new VirtualClock(), countedLots());
    const stranger = { username: 'other', password: 'other', project: 'other' };
    const hurry = (): void => {
      inside.advanceClock(pendingMs);
    };
    const target = { name: 'simulator', real: false, authUrl: AUTH_URL, credentials: demo, stranger, hurry };
    return Promise.resolve({ ...target, fetch: cloudFetch(inside) });
  },
  false,
);

const { env } = process;
const realUrl = env['LEVELSET_CONFORMANCE_AUTH_URL'];
if (realUrl !== undefined) {
  const password = env['LEVELSET_CONFORMANCE_PASSWORD'] ?? demo.password;
  const credentials = {
    username: env['LEVELSET_CONFORMANCE_USERNAME'] ?? demo.username,
    password,
    project: env['LEVELSET_CONFORMANCE_PROJECT'] ?? demo.project,
  };
  const other = env['LEVELSET_CONFORMANCE_OTHER'] ?? 'other';
  const stranger = { username: other, password, project: other };
  const target = {
    name: realUrl,
    real: true,
    authUrl: realUrl,
    credentials,
    stranger,
    hurry: () => undefined,
  };
  suite(`the OpenStack at ${realUrl}`, () => Promise.resolve(target), true);
}
