/** Beyond a limit a Service changes nothing but its members, and is told which limit; all limits grow by one factor. */
import { expect, test } from 'vitest';
import type { Service } from '../../../../shared/model/kubernetes.ts';
import { readIntent } from '../../../../shared/service/intent/service-intent.ts';
import { LIMITS } from '../../../../shared/model/load-balancer/reach-and-limits.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const OWN = 'levelset.openstack.org/';

const each = <T>(count: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, at) => make(at));
const portsOf = (count: number) =>
  each(count, (at) => ({ name: `p${at}`, port: at + 1, nodePort: 30_000 + at }));
const rangesOf = (count: number) => each(count, (at) => `10.${at >> 8}.${at & 255}.0/24`);
const namesOf = (count: number, from = 0) => each(count, (at) => `n${from + at}`).join();
const uuidsOf = (count: number) =>
  each(count, (at) => `6d0f0d8e-1d1a-4f4a-9a51-${String(at).padStart(12, '0')}`).join();
const service = (spec: object, annotations: Readonly<Record<string, string>> = {}): Service =>
  aStoredService({ spec: { ...spec }, annotations });

/** A Service with so many of what is limited, and the limit. */
// prettier-ignore
const CASES: readonly (readonly [what: string, limit: number, make: (count: number) => Service])[] = [
  ['ports', LIMITS.ports, (count) => service({ ports: portsOf(count) })],
  ['source ranges', LIMITS.entries, (count) => service({ loadBalancerSourceRanges: rangesOf(count) })],
  ['source ranges of the annotation', LIMITS.entries, (count) => service({}, { 'service.beta.kubernetes.io/load-balancer-source-ranges': rangesOf(count).join(',') })],
  ['ports times source ranges', LIMITS.openings / 100, (count) => service({ ports: portsOf(100), loadBalancerSourceRanges: rangesOf(count) })],
  ['certificates of one annotation', LIMITS.names, (count) => service({}, { [`${OWN}tls-secret`]: namesOf(count) })],
  ['subnets', LIMITS.names, (count) => service({}, { [`${OWN}additional-vip-subnet-ids`]: uuidsOf(count) })],
  [
    'certificates of all ports',
    LIMITS.certificates,
    (count) => {
      const names = each(Math.ceil(count / 50), (at) => namesOf(Math.min(50, count - at * 50), at * 50));
      const annotations = names.map((some, at) => [`${OWN}tls-secret.${at + 1}`, some] as const);
      return service({ ports: portsOf(names.length) }, Object.fromEntries(annotations));
    },
  ],
];

test.each(CASES)(
  '%s: at the limit they are read, beyond it nothing changes and the limit is named, and the factor raises it',
  (_what, limit, make) => {
    const blocking = (count: number, serviceLimits = 1): readonly string[] => {
      const { problems, rangeProblems } = readIntent(make(count), { ...aConfig(), serviceLimits });
      return [...problems, ...rangeProblems].flatMap((one) => (one.blocking ? [one.message] : []));
    };
    const beyond: unknown = expect.stringMatching(
      /(more than|at most) \d+ .*(levelset changes nothing but|the Service is blocked)/,
    );
    expect([blocking(limit), blocking(limit + 1), blocking(limit + 1, 2)]).toEqual([[], [beyond], []]);
  },
);

test('ranges that are too many open the ports to nobody', () => {
  const tooMany = service({ loadBalancerSourceRanges: rangesOf(LIMITS.entries + 1) });
  expect(readIntent(tooMany, aConfig()).allowed_cidrs).toEqual([]);
});
