/**
 * What it costs when the process that leads ends while SERVICES (20) are made, on the lab: nothing, SIGTERM as in a rollout, SIGKILL. A second
 * process follows from the start. Prints how long nobody led, when the last Service had its address, and how many load balancers were asked for.
 */
import { prepareLab } from '../e2e/lab/prepare-lab.ts';
import { lab } from '../e2e/lab/environment.ts';
import {
  aNamespace,
  apply,
  aService,
  countCalls,
  kubectl,
  nothingLeft,
  removeNamespace,
  startLevelset,
  stopAllLevelsets,
  until,
  type Levelset,
} from '../e2e/lab/lab.ts';
import { allHaveAddresses, hasAddress, listServices } from './list-services.ts';

const SERVICES = Number(process.env['SERVICES'] ?? 20);
/** So many have their address when the leader ends. */
const BEFORE = SERVICES / 4;
const LONG = { timeoutMs: 600_000, everyMs: 250 };
const ENDS: Readonly<Record<string, (leader: Levelset) => Promise<unknown>>> = {
  nothing: () => Promise.resolve(),
  SIGTERM: (leader) => leader.stop(),
  SIGKILL: (leader) => leader.kill(),
};

const prepared = await prepareLab();
const namespace = await aNamespace();
try {
  for (const [how, end] of Object.entries(ENDS)) console.log(await measure(how, end));
} finally {
  await stopAllLevelsets();
  await removeNamespace(namespace);
  await prepared.cleanUp();
}

async function measure(how: string, end: (leader: Levelset) => Promise<unknown>): Promise<string> {
  const args = ['--watch'];
  const leader = await startLevelset({ args });
  const follower = await startLevelset({ args, listen: lab().listen.replace(/\d+$/, '10999') });
  const calls = await countCalls();
  const names = Array.from({ length: SERVICES }, (_, at) => `svc-${at}`);
  const start = Date.now();
  await apply(names.map((name) => aService(namespace, name, [{ port: 80 }, { port: 81 }])));
  const count = async (): Promise<number> => (await listServices(namespace)).filter(hasAddress).length;
  await until('the first addresses', async () => (await count()) >= BEFORE, LONG);
  const ended = Date.now();
  await end(leader);
  await until('all addresses', () => allHaveAddresses(namespace), LONG);
  const last = Date.now();
  const made = (await calls.stop()).filter(
    ({ method, path }) => method === 'POST' && path.endsWith('/loadbalancers'),
  );
  await kubectl(['-n', namespace, 'delete', 'services', '--all', '--wait=false']);
  await until('all to be gone', async () => (await listServices(namespace)).length === 0, LONG);
  await nothingLeft();
  const led = /"message":"this process leads","timestamp":"([^"]+)"/.exec(follower.log())?.[1];
  await stopAllLevelsets();
  const without = led === undefined ? '-' : `${((Date.parse(led) - ended) / 1_000).toFixed(1)} s`;
  return `${how}: without a leader ${without}, last address after ${((last - start) / 1_000).toFixed(1)} s, ${made.length} load balancers asked for`;
}
