/** What a kube-apiserver is told to ask before it stores a Service: nothing of it may stop the cluster. */
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { FLAGS } from '../../shared/config/flags.ts';
import { textOf } from './files.ts';

const FOLDER = 'infra/kubernetes';

interface Webhooks {
  readonly webhooks: readonly {
    readonly clientConfig: { readonly service: object };
    readonly rules: readonly unknown[];
    readonly matchConditions: readonly unknown[];
  }[];
}

interface Policy {
  readonly spec: { readonly matchConstraints: { readonly resourceRules: readonly unknown[] } };
}

test('no write fails or waits where levelset is away, and only Services of type LoadBalancer ask', () => {
  const { webhooks } = parse(textOf(`${FOLDER}/admission-webhook.yaml`)) as Webhooks;
  const [webhook] = webhooks;
  expect(webhooks).toHaveLength(1);
  expect(webhook).toMatchObject({ failurePolicy: 'Ignore', timeoutSeconds: 2, sideEffects: 'None' });
  const [policy] = parseAllDocuments(textOf(`${FOLDER}/admission-policy.yaml`)).map(
    (document) => document.toJS() as Policy,
  );
  expect(policy).toMatchObject({ spec: { failurePolicy: 'Ignore' } });
  expect(webhook?.rules).toMatchObject(policy?.spec.matchConstraints.resourceRules ?? []);
  expect(policy).toMatchObject({
    spec: { matchConditions: expect.arrayContaining(webhook?.matchConditions.slice() ?? []) as unknown },
  });
});

test('the webhook leads to the Service of the manifests, and to the cluster by its default name', () => {
  const { webhooks } = parse(textOf(`${FOLDER}/admission-webhook.yaml`)) as Webhooks;
  const { metadata, spec } = parse(textOf(`${FOLDER}/service.yaml`)) as {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly ports: readonly { readonly port: number }[] };
  };
  expect(webhooks[0]?.clientConfig.service).toEqual({
    namespace: 'levelset',
    name: metadata.name,
    port: spec.ports[0]?.port,
    path: `/admit/${FLAGS['cluster-name'].default}`,
  });
});
