/**
 * What is read or written of one resource fails, in whatever way, while things happen to units of every sort. All units that do not need
 * it end as without the failure, the others are named, nothing that serves is lost, and once it is well again all is level.
 */
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FaultRule } from '../../../infra/sandbox/fault-rules.ts';
import { APIS, callsOf, type Call } from './needs.ts';
import { keyOf, startIsolation, UNIT_NAMES, type Isolation, type UnitName } from './units.ts';
import { forAllAnd, type Drawn } from '../seed.ts';

const ALWAYS = 1e6;
const FAILURES = {
  '500': { kind: 'fail-before', status: 500 },
  '502 of a proxy': { kind: 'fail-before', status: 502, body: '<html>bad gateway</html>' },
  '503': { kind: 'fail-before', status: 503 },
  '401': { kind: 'fail-before', status: 401, body: { error: { message: 'unauthorized' } } },
  '403': { kind: 'fail-before', status: 403, body: { error: { message: 'forbidden' } } },
  hang: { kind: 'hang' },
  reset: { kind: 'reset-before' },
} as const satisfies Record<string, Omit<FaultRule, 'match'>>;

type Failure = keyof typeof FAILURES | 'no endpoint in the catalog';

/** Makes the call fail, and returns what makes it well. */
function fail(it: Isolation, { name, side, path, write }: Call, failure: Failure): () => void {
  if (failure === 'no endpoint in the catalog') {
    it.withoutEndpoint.add(name);
    return () => it.withoutEndpoint.delete(name);
  }
  const match = { side, path, ...(write === undefined ? {} : { write }) };
  return it.inside.fault({ match, times: ALWAYS, ...FAILURES[failure] });
}

type Picture = ReturnType<Isolation['picture']>;

const known = new Map<boolean, Picture>();

/** How the units end without a failure, by requests that all have their rows. */
async function expected(managed: boolean): Promise<Picture> {
  const before = known.get(managed);
  if (before) return before;
  const it = await startIsolation(managed);
  it.change();
  await it.work();
  const calls = callsOf(managed).filter(({ name }) => !(name in APIS) || name === 'identity');
  const unknown = it.inside.requests.filter(
    (one) => !calls.some(({ side, path }) => side === one.side && path.test(one.path)),
  );
  expect(unknown.map(({ method, path }) => `${method} ${path}`)).toEqual([]);
  const picture = it.picture();
  known.set(managed, picture);
  return picture;
}

const anIncident = fc.boolean().chain((managed) =>
  fc.constantFrom(...callsOf(managed)).chain((call) => {
    const failures = Object.keys(FAILURES) as Failure[];
    const all = call.name in APIS ? [...failures, 'no endpoint in the catalog' as const] : failures;
    return fc.record({
      ...{ managed: fc.constant(managed), call: fc.constant(call), failure: fc.constantFrom(...all) },
      ...{ isNew: fc.boolean(), events: fc.constantFrom('events come' as const, undefined) },
    });
  }),
);

type Incident = Drawn<typeof anIncident>;

const incident = (name: string, failure: Failure): [Incident] => {
  const call = callsOf(false).find((one) => one.name === name);
  if (!call) throw new Error(`no call ${name}`);
  return [{ managed: false, call, failure, isNew: true, events: undefined }];
};

async function holds({ managed, call, failure, isNew, events }: Incident): Promise<void> {
  const wanted = await expected(managed);
  const it = await startIsolation(managed);
  const heal = fail(it, call, failure);
  if (isNew) it.restart();
  const served = addressesOf(it);
  it.change();
  const told = await it.work(events);
  const ended = it.picture();

  const held = UNIT_NAMES.filter((unit) => !isDeepStrictEqual(ended[unit], wanted[unit]));
  const others = held.filter((unit) => !call.needs.includes(unit));
  expect(others.map((unit) => ended[unit])).toEqual(others.map((unit) => wanted[unit]));
  // without the list that has their names, the sweep says that it failed
  if (!told.some((line) => line.includes('the sweep failed: ')))
    for (const unit of held) expect([...told, ...it.waiting()].join('\n')).toContain(nameOf(unit));
  expect(addressesOf(it)).toEqual(expect.arrayContaining([...served]));

  heal();
  it.inside.advanceClock(61_000);
  await it.work();
  expect(it.picture()).toEqual(wanted);
}

/** As messages have it. */
const nameOf = (unit: UnitName): string => keyOf(unit).split('/').slice(-1).join();

/** Floating IPs that serve Services which stay. */
function addressesOf({ inside: { cloud } }: Isolation): readonly string[] {
  const staying = cloud.floatingips.filter(({ description }) => !description.includes('default/gone '));
  return staying.flatMap(({ floating_ip_address: address, port_id }) => (port_id === null ? [] : [address]));
}

const EXAMPLES = [
  incident('key-manager', 'hang'),
  incident('load-balancer', '503'),
  incident('read endpointslices', '403'),
];

// an incident is two worlds from beginning to end, half a second
test('a call that fails holds up only the units that need it', () =>
  forAllAnd(...EXAMPLES)(anIncident, holds));
