import { describe, expect, test } from 'vitest';
import type { Outcome } from '../../../shared/model/outcome.ts';
import type { Step } from '../../../shared/model/plan.ts';
import { Chain } from '../../../shared/queue/scheduling.ts';
import { failed, progressing } from './reports.ts';

describe('a chain of runs', () => {
  const step = (address: string) => ({ verb: 'update', kind: 'listener', address }) as unknown as Step;
  const ran = (outcome: Outcome, ...addresses: string[]) => ({ outcome, applied: addresses.map(step) });

  test('makes progress by steps that are new, and a step that is done again and again is none', () => {
    const chain = new Chain('audit');
    const idleRuns = ['a', 'b', 'b', 'a', 'b', 'c', 'c'].map((address) =>
      chain.note(ran(progressing(700, 'lb-1'), address)),
    );
    expect(idleRuns).toEqual([0, 0, 0, 1, 2, 0, 0]);
  });

  test('makes progress while something else is desired each time, as while Nodes come and go', () => {
    const chain = new Chain('sweep');
    const idleRuns = ['two', 'three', 'two', 'three', 'three', 'three'].map((desired) =>
      chain.note({ ...ran(progressing(700, 'lb-1'), 'a'), desired }),
    );
    expect(idleRuns).toEqual([0, 0, 0, 0, 0, 1]);
  });

  test('is nearly done after progress, background after a failure, and else what it was', () => {
    const chain = new Chain('resync');
    const seen = [ran(progressing(0)), ran(progressing(0), 'a'), ran(progressing(0)), ran(failed())].map(
      (run) => {
        chain.note(run);
        return chain.priority;
      },
    );
    expect(seen).toEqual(['soon', 'soon', 'soon', 'background']);
  });
});
