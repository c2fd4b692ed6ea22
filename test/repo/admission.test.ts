/** What a kube-apiserver is told to check before it stores a Service: nothing of it may stop the cluster. */
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { textOf } from './files.ts';

test('no write fails where the policy cannot be read, and only Services of type LoadBalancer are looked at', () => {
  const [policy] = parseAllDocuments(textOf('infra/kubernetes/admission-policy.yaml')).map(
    (document) => document.toJS() as unknown,
  );
  expect(policy).toMatchObject({
    spec: {
      failurePolicy: 'Ignore',
      matchConstraints: { resourceRules: [{ apiGroups: [''], resources: ['services'] }] },
      matchConditions: [
        { expression: "object.spec.type == 'LoadBalancer' && !has(object.metadata.deletionTimestamp)" },
        { expression: '!has(object.spec.loadBalancerClass)' },
      ],
    },
  });
});
