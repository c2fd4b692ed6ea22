/** What the requests of a run carry, from its trigger to the line at an endpoint. */
import { expect, test } from 'vitest';
import type { Credentials } from '../../../shared/config/config.ts';
import { VirtualClock } from '../../../infra/sandbox/sandbox-clock.ts';
import type { Trigger } from '../../../shared/model/request.ts';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import { EndpointSemaphore, EndpointSemaphores } from '../../../shared/openstack/endpoint-semaphore.ts';
import type { HttpAnswer, Transport } from '../../../shared/openstack/openstack-http.ts';
import { reconcile } from '../../../shared/reconcile.ts';
import { NO_RUN, narrow, type RunContext } from '../../../shared/deadline.ts';
import { sweep } from '../../../shared/sweep.ts';
import { aConfig } from '../../support/config.ts';
import { AUTH_URL, cloudTransport, inProcessWorld } from '../../support/in-process.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { aService } from '../../support/service.ts';
import { inVirtualTime } from '../../support/virtual-time.ts';

test('all requests of a run have the priority of what caused it, and those of a sweep come last', async () => {
  const inside = inVirtualTime({ nodes: 2 });
  const seen = new Set<string>();
  class Watched extends EndpointSemaphore<HttpAnswer> {
    override pass(...[service, run, send]: Parameters<EndpointSemaphore<HttpAnswer>['pass']>) {
      if (service !== 'identity') seen.add(run.priority);
      return super.pass(service, run, send);
    }
  }
  const transport = cloudTransport(inside);
  const semaphores = new EndpointSemaphores<HttpAnswer>(transport);
  semaphores.of = () => new Watched(transport);
  inside.kube.apply(aService({ name: 'web' }));
  const prioritiesOf = async (run: (world: ReturnType<typeof inProcessWorld>) => Promise<unknown>) => {
    const config = aConfig(AUTH_URL);
    const { cloud } = connectCloud(config.openstack, { transport, semaphores });
    await cloud.octaviaVersion(); // it belongs to no run
    seen.clear();
    await run({ ...inProcessWorld(inside, config, SILENT), cloud });
    return [...seen];
  };
  const by = (trigger: Trigger) =>
    prioritiesOf((world) =>
      reconcile({ key: 'service/default/web', trigger }, world, { remainingMs: () => 60_000 }),
    );
  expect(await by('audit')).toEqual(['soon']);
  expect(await by('requeue')).toEqual(['soon']);
  expect(await by('sweep')).toEqual(['sweep']);
  expect(await prioritiesOf((world) => sweep(world))).toEqual(['sweep']);
});

test('a part of a run has the time that both have', () => {
  const run: RunContext = { ...NO_RUN, priority: 'sweep', remainingMs: () => 500 };
  expect(narrow(run, { remainingMs: () => 800 }).remainingMs()).toBe(500);
  expect(narrow(run, { remainingMs: () => 200 })).toMatchObject({ priority: 'sweep' });
  expect(narrow(run, { remainingMs: () => 200 }).remainingMs()).toBe(200);
});

/** A service that is held for three seconds by its first answer. */
function heldService() {
  const clock = new VirtualClock(0);
  const sent: string[] = [];
  const transport: Transport = {
    pause: (ms, signal) => clock.pause(ms, signal),
    now: () => clock.millis(),
    send: ({ method, url }) => {
      sent.push(`${method} ${new URL(url).pathname} ${clock.millis()}`);
      const isFirst = sent.length === 1;
      const headers = isFirst ? { 'retry-after': '3' } : {};
      return Promise.resolve({ status: isFirst ? 429 : 200, headers, text: '{}' });
    },
  };
  return { transport, sent };
}

const APPLICATION = { type: 'application-credential', id: 'f00', secret: 's' } as const;
test.each<[string, (own: Credentials) => Credentials, heldUntil: number]>([
  ['holds back the other connections of the account', (own) => own, 3_000],
  ['does not hold back another account', () => APPLICATION, 0],
  [
    'does not hold back who knows no more than its name',
    (own) => ({ ...own, password: 'a guess' }) as Credentials,
    0,
  ],
])('what an endpoint told one connection %s', async (_who, credentialsOf, heldUntil) => {
  const { transport, sent } = heldService();
  const semaphores = new EndpointSemaphores<HttpAnswer>(transport);
  const { openstack } = aConfig('http://keystone.invalid/v3');
  const other = { ...openstack, credentials: credentialsOf(openstack.credentials) };
  const [one, two] = [openstack, other].map((config) => connectCloud(config, { transport, semaphores }));
  await expect(one?.cloud.projectId()).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  await expect(two?.cloud.projectId()).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
  expect(sent).toEqual(['POST /v3/auth/tokens 0', `POST /v3/auth/tokens ${heldUntil}`]);
});
