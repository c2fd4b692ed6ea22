import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkOf, type Check } from '../../infra/kubernetes/admission-policy.ts';
import { ANNOTATIONS } from '../../shared/service/intent/annotations.ts';
import { networkQuestion } from '../../shared/service/question.ts';
import { readIntent } from '../../shared/service/intent/service-intent.ts';
import type { Service } from '../../shared/model/kubernetes.ts';
import { manifestProblems } from '../../shared/service/desired/desire-service.ts';
import { aConfig } from '../support/config.ts';
import { SimulatedCloud } from '../support/simulated-cloud.ts';
import { anEdit, annotationKeys, serviceOf, usableNodes } from './arbitrary.ts';
import { comparison } from './drive.ts';
import { forAll } from './seed.ts';
import { WORLDS } from './worlds.ts';

const anyText = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.stringMatching(/^[0-9a-f:./ ,-]{0,40}$/),
);

test('whatever others wrote, reading a Service never throws, and every mistake is a problem that names its field', () => {
  const keys = fc.constantFrom(...annotationKeys, 'loadbalancer.openstack.org/x');
  fc.assert(
    fc.property(fc.dictionary(keys, anyText), fc.array(anyText), (annotations, ranges) => {
      const service = {
        metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', annotations },
        spec: { type: 'LoadBalancer', loadBalancerSourceRanges: ranges },
      } as unknown as Service;
      const intent = readIntent(service, aConfig());
      expect(() => networkQuestion(intent)).not.toThrow();
      for (const { field, message } of intent.problems) expect([field, message]).not.toContain('');
    }),
  );
});

const anyWord = fc.constantFrom('', 'true', '1', '-2', '70000', 'http', 'SOURCE_IP', 'x y', '10.0.0.0/33');

const someMistakes = fc.dictionary(fc.constantFrom(...annotationKeys), anyWord, { maxKeys: 3 });

test('whatever a manifest is told for, a run of its Service finds as well', () =>
  forAll(anEdit, someMistakes, usableNodes, async (edit, mistakes, nodes) => {
    const service = serviceOf({ ...edit, annotations: { ...edit.annotations, ...mistakes } });
    const told = manifestProblems(service, aConfig());
    const { plan } = await comparison(service, nodes, new SimulatedCloud());
    expect(plan.problems).toEqual(expect.arrayContaining([...told]));
  }));

const checked = ANNOTATIONS.flatMap((row) => {
  const check = checkOf(row);
  return check ? [[row.names[0] ?? '', row, check] as const] : [];
});

/** Whether the admission policy takes a text: RE2 spells one class in another way. */
function isTaken(text: string, { pattern, bounds: [least, most] = [-Infinity, Infinity] }: Check): boolean {
  if (!new RegExp(pattern.replaceAll('\\x{', '\\u{'), 'u').test(text)) return false;
  const number = Number(/-?[0-9]+/.exec(text)?.[0] ?? 0);
  return number >= least && number <= most;
}

const PLAIN = { ranges: [], sticky: false, local: false };

test.each(checked)('what the admission policy refuses for %s, levelset refuses, too', (name, row, check) => {
  const { example } = row;
  expect(isTaken(example, check) || example.endsWith('_ID')).toBe(true);
  const [lowest, highest] = check.bounds ?? [0, 0];
  const texts = fc.oneof(
    anyText,
    fc.constantFrom(...((row.parse('\0') as { allowed?: string }).allowed?.split(/[ ,]+/) ?? [''])),
    fc.constantFrom(example, example.toUpperCase(), `\u00a0${example}\ufeff`, `,${example},`),
    fc.integer({ min: lowest - 2, max: highest + 2 }).map(String),
    fc.uuid(),
  );
  const holds = fc.property(texts, (text) => {
    if (text.trim() === '' && (!name.startsWith('levelset.') || 'value' in row.parse(''))) return;
    const ports = [{ protocol: 'TCP', port: 80, nodePort: 30_000 }];
    const service = serviceOf({ ...PLAIN, ports, annotations: { [name]: text } });
    const found = manifestProblems(service, aConfig()).map(({ field }) => field);
    if (!isTaken(text, check)) expect(found).toContain(name);
  });
  fc.assert(holds, { numRuns: 10 * WORLDS });
});
