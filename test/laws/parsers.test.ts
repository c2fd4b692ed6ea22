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
import { evaluation } from './drive.ts';
import './seed.ts';

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
  fc.assert(
    fc.asyncProperty(anEdit, someMistakes, usableNodes, async (edit, mistakes, nodes) => {
      const service = serviceOf({ ...edit, annotations: { ...edit.annotations, ...mistakes } });
      const told = manifestProblems(service, aConfig());
      const { plan } = await evaluation(service, nodes, new SimulatedCloud());
      expect(plan.problems).toEqual(expect.arrayContaining([...told]));
    }),
  ));

const checked = ANNOTATIONS.flatMap((row) => {
  const check = checkOf(row);
  return check ? [[row.names[0], row, check] as const] : [];
});

/** Whether the admission policy takes a text: RE2 spells one class in another way. */
function isTaken(text: string, { pattern, bounds: [least, most] = [-Infinity, Infinity] }: Check): boolean {
  if (!new RegExp(pattern.replaceAll('\\x{', '\\u{'), 'u').test(text)) return false;
  const number = Number(/-?[0-9]+/.exec(text)?.[0] ?? 0);
  return number >= least && number <= most;
}

test.each(checked)(
  'what the admission policy refuses for %s, levelset does not take either',
  (_, row, check) => {
    expect(isTaken(row.example, check) || row.example.endsWith('_ID')).toBe(true);
    const [lowest, highest] = check.bounds ?? [0, 0];
    const texts = fc.oneof(
      anyText,
      fc.constantFrom(...((row.parse('\0') as { allowed?: string }).allowed?.split(/[ ,]+/) ?? [''])),
      fc.constantFrom(
        row.example,
        row.example.toUpperCase(),
        `\u00a0${row.example}\ufeff`,
        `,${row.example},`,
      ),
      fc.integer({ min: lowest - 2, max: highest + 2 }).map(String),
      fc.uuid(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        if (text.trim() === '' && (!row.names[0]?.startsWith('levelset.') || 'value' in row.parse('')))
          return;
        const annotations = { [row.names[0] ?? '']: text };
        const service = serviceOf({
          ports: [{ protocol: 'TCP', port: 80, nodePort: 30_000 }],
          annotations,
          ranges: [],
          sticky: false,
          local: false,
        });
        const found = manifestProblems(service, aConfig()).map(({ field }) => field);
        if (!isTaken(text, check)) expect(found).toContain(row.names[0]);
      }),
      { numRuns: 100 },
    );
  },
);
