import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ANNOTATIONS } from '../../shared/service/intent/annotations.ts';
import { cidrContains, parseCidr } from '../../shared/model/network/cidr.ts';
import { networkQuestion } from '../../shared/service/intent/cloud-questions.ts';
import { allAtOnce } from '../../shared/model/turns.ts';
import { readIntent } from '../../shared/service/intent/service-intent.ts';
import type { Service } from '../../shared/model/kubernetes.ts';
import { parseKey } from '../../shared/model/request.ts';
import { manifestProblems } from '../../shared/service/desired/manifest-problems.ts';
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

describe('text that others wrote', () => {
  test.each(ANNOTATIONS.map((row) => [row.names[0], row.parse] as const))(
    '%s never throws',
    (_key, parse) => {
      fc.assert(
        fc.property(anyText, (text) => {
          const parsed = parse(text) as { readonly value?: unknown; readonly allowed?: string };
          expect('value' in parsed !== (typeof parsed.allowed === 'string')).toBe(true);
        }),
      );
    },
  );

  test('never makes reading a Service throw, and every mistake is a problem that names its field', () => {
    const keys = fc.constantFrom(
      ...ANNOTATIONS.flatMap(({ names }) => names),
      'loadbalancer.openstack.org/x',
    );
    fc.assert(
      fc.property(fc.dictionary(keys, anyText), fc.array(anyText), (annotations, ranges) => {
        const service = {
          metadata: { name: 'web', namespace: 'default', uid: 'u', resourceVersion: '1', annotations },
          spec: { type: 'LoadBalancer', loadBalancerSourceRanges: ranges },
        } as unknown as Service;
        const intent = allAtOnce(readIntent(service, aConfig()));
        expect(() => networkQuestion(intent)).not.toThrow();
        for (const { field, message } of intent.problems) expect([field, message]).not.toContain('');
      }),
    );
  });

  test('is a CIDR only when Octavia would take it, and reading it again changes nothing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          anyText,
          fc.tuple(fc.ipV6(), fc.nat(128)).map(([ip, n]) => `${ip}/${n}`),
        ),
        (text) => {
          const cidr = parseCidr(text);
          if (!cidr) return;
          expect(parseCidr(cidr.text)).toEqual(cidr);
          expect(cidr.text.includes(':')).toBe(cidr.family === 6);
        },
      ),
    );
  });

  test('holds the address it was made of', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.nat(32), (address, length) => {
        expect(cidrContains(parseCidr(`${address}/${length}`)?.text ?? '', address)).toBe(true);
      }),
    );
  });

  test('is a key, or none', () => {
    fc.assert(fc.property(anyText, (text) => [text, undefined].includes(parseKey(text))));
  });
});

const anyWord = fc.constantFrom('', 'true', '1', '-2', '70000', 'http', 'SOURCE_IP', 'x y', '10.0.0.0/33');

const someMistakes = fc.dictionary(fc.constantFrom(...annotationKeys), anyWord, { maxKeys: 3 });

test('whatever a manifest is told for, a run of its Service finds as well', () =>
  fc.assert(
    fc.asyncProperty(anEdit, someMistakes, usableNodes, async (edit, mistakes, nodes) => {
      const service = serviceOf({ ...edit, annotations: { ...edit.annotations, ...mistakes } });
      const told = allAtOnce(manifestProblems(service, aConfig()));
      const { plan } = await evaluation(service, nodes, new SimulatedCloud());
      expect(plan.problems).toEqual(expect.arrayContaining([...told]));
    }),
  ));
