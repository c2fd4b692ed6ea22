import fc from 'fast-check';
import { expect, test } from 'vitest';
import { allAtOnce } from '../../shared/model/turns.ts';
import { manifestProblems } from '../../shared/service/desired/manifest-problems.ts';
import { aConfig } from '../support/config.ts';
import { SimulatedCloud } from '../support/simulated-cloud.ts';
import { anEdit, annotationKeys, serviceOf, usableNodes } from './arbitrary.ts';
import { evaluation } from './drive.ts';
import './seed.ts';

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
