/** The manifests for Knative on the real apiserver, against the schemas of Knative's own resources. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import got from 'got';
import { kube, lab, NAMESPACE, startLevelset, stopAllLevelsets, until } from '../lab/lab.ts';
import { define, dryRun, filesOfModule } from '../fixtures/definitions.ts';
import { must } from '../lab/run.ts';

/** Its CustomResourceDefinitions come from the Go module; those of eventing, which cannot be fetched, are a fixture. */
const SERVING = 'knative.dev/serving@v0.51.0';
const SOURCES = join(import.meta.dirname, '../fixtures/knative-sources.yaml');

beforeAll(async () => {
  const serving = await filesOfModule(SERVING, ['config/core/300-resources/service.yaml']);
  return define([...serving, SOURCES]);
});

it('fit the schemas of Knative, and name nothing that these do not have', async () => {
  const text = await must(lab().kubectl, ['kustomize', join(lab().repository, 'infra/knative')]);
  const said = await until('the new kinds to be known', () => dryRun(text));
  const kinds = ['service.serving.knative.dev/levelset', 'apiserversource.sources', 'pingsource.sources'];
  for (const kind of kinds) expect(said).toContain(kind);
  expect(said).not.toContain('deployment');
  await expect(dryRun(text.replace('audience: levelset', 'audiences: levelset'))).rejects.toThrow(
    /spec\.sink\.audiences/,
  );
  await expect(dryRun(text.replace('timeoutSeconds: 30', 'timeoutSecond: 30'))).rejects.toThrow(
    /timeoutSecond\b/,
  );
});

it('are let in by the tokens that this very cluster makes for their ServiceAccounts', async () => {
  const tokenFor = async (namespace: string, audience: string): Promise<string> => {
    const { status } = await kube.create<{ readonly status: { readonly token: string } }>(
      `/api/v1/namespaces/${namespace}/serviceaccounts/default/token`,
      { spec: { audiences: [audience] } },
    );
    return status.token;
  };
  const levelset = await startLevelset({ listen: '127.0.0.1:18091', args: ['--events-audience=levelset'] });
  const ping = async (token: string): Promise<string> => {
    const answer = await got.post(`${levelset.url}/events/lab`, {
      headers: {
        ...{
          'ce-specversion': '1.0',
          'ce-type': 'dev.knative.sources.ping',
          'ce-id': 'a',
          'ce-source': '/ping',
        },
        ...{ 'content-type': 'application/json', authorization: `Bearer ${token}` },
      },
      https: { certificateAuthority: readFileSync(lab().tls.ca) },
      throwHttpErrors: false,
      retry: { limit: 0 },
    });
    return `${answer.statusCode} ${answer.body}`;
  };
  try {
    expect(await ping(await tokenFor(NAMESPACE, 'levelset'))).toMatch(/^202 .*"keys":1/);
    expect(await ping(await tokenFor(NAMESPACE, 'another'))).toMatch(/^401 .*aud/);
    expect(await ping(await tokenFor('default', 'levelset'))).toMatch(/^401 .*--events-senders/);
    expect(await ping(lab().levelsetToken)).toMatch(/^401 .*aud/);
    expect(await ping('a.b.c')).toMatch(/^401/);
  } finally {
    await stopAllLevelsets();
  }
});
