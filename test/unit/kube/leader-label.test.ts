import { expect, test } from 'vitest';
import { createKubeHttp } from '../../../shared/kube/kube-http.ts';
import { labelLeader, LEADER_LABEL } from '../../../shared/kube/home.ts';
import { SILENT } from '../../support/sandbox-world.ts';
import { sandboxKube } from './sandbox-kube.ts';

test('one Pod has the label, whoever led before, and a process that does not lead has none', async () => {
  const { sandbox } = await sandboxKube();
  const credential = () => Promise.resolve({ authorization: `Bearer ${sandbox.kubeToken}` });
  const http = createKubeHttp({ source: 'sandbox', server: sandbox.kubeUrl, tls: {}, credential });
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

test('what fails is told, and stops nobody', async () => {
  const warned: string[] = [];
  const http = () => Promise.reject(new Error('no right'));
  const warn = (message: string): void => void warned.push(message);
  await labelLeader(http, { namespace: 'levelset', name: 'one' }, true, { ...SILENT, warn });
  expect(warned).toEqual([expect.stringContaining('may reach a process that does not lead')]);
});
