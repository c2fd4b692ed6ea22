import { expect, test } from 'vitest';
import { labelLeader, LEADER_LABEL } from '../../../shared/kube/home.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { sandboxKube } from './sandbox-kube.ts';

test('one Pod has the label, whoever led before, and a process that does not lead has none', async () => {
  const { sandbox, http } = await sandboxKube();
  for (const name of ['killed', 'next', 'third'])
    sandbox.kube.apply({
      kind: 'Pod',
      metadata: { namespace: 'levelset', name, labels: { app: 'levelset' } },
    });
  const labelled = (): readonly string[] =>
    sandbox.kube
      .list('Pod', 'levelset')
      .filter(({ metadata }) => metadata.labels?.[LEADER_LABEL] === 'true')
      .map(({ metadata }) => metadata.name);
  const lead = (name: string, leads: boolean): Promise<void> =>
    labelLeader(http, { namespace: 'levelset', name }, leads, SILENT);
  await lead('killed', true);
  await lead('next', true);
  expect(labelled()).toEqual(['next']);
  await lead('third', false);
  expect(labelled()).toEqual(['next']);
  await lead('next', false);
  expect(labelled()).toEqual([]);
  expect(sandbox.kube.get('Pod', 'levelset', 'next')?.metadata.labels).toEqual({ app: 'levelset' });
});
