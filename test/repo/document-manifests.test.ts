/** Manifests, values and files of the pages, which no test applies: they have only what their schemas have. */
import { describe, expect, test } from 'vitest';
import { unknownFields } from '../../infra/sandbox/kube/kubectl/unknown-fields.ts';
import { readCloudConf } from '../../shared/config/cloud-conf/cloud-conf.ts';
import { ANNOTATIONS } from '../../shared/service/intent/annotations.ts';
import { blocksOf, DOCUMENTS, manifestsOf, wrongValues } from './document-blocks.ts';
import { filesOf } from './files.ts';

const documents = [...DOCUMENTS, 'docs/nodes.md', 'docs/clusters.md', ...filesOf('infra/*/README.md')];
const manifests = documents.flatMap((path) => manifestsOf(path).map((manifest) => ({ path, manifest })));
const rows = new Map(ANNOTATIONS.flatMap((row) => row.names.map((name) => [name, row] as const)));

const ofVersion = (start: string): typeof manifests =>
  manifests.filter(({ manifest }) => String(manifest['apiVersion']).startsWith(start));

describe('objects of Kubernetes', () => {
  const objects = ofVersion('v1').filter(({ manifest }) => manifest['kind'] !== 'Config');
  test.each(objects)('$path $manifest.kind $manifest.metadata.name', ({ manifest }) => {
    expect(unknownFields(String(manifest['kind']), manifest)).toEqual([]);
  });

  const services = objects.filter(({ manifest }) => manifest['kind'] === 'Service');
  test.each(services)('annotations of $path $manifest.metadata.name', ({ manifest }) => {
    const { annotations } = manifest['metadata'] as { readonly annotations?: Record<string, string> };
    const wrong = Object.entries(annotations ?? {}).filter(([name, value]) => {
      const row = rows.get(name);
      return row === undefined || 'allowed' in row.parse(value);
    });
    expect(wrong).toEqual([]);
  });

  test('there are Services', () => {
    expect(services.length).toBeGreaterThan(5);
  });
});

/** The flags of the kube-apiserver that the pages need. */
const APISERVER_FLAG =
  /^audit-(policy-file|webhook-(config-file|mode|initial-backoff|batch-max-(size|wait)|truncate-(enabled|max-batch-size)))$/;

const AUDIT_FLAG = /(?:--|name: |^ *- |^)(audit-[a-z-]+)(?=[=,: \n]|$)/gm;
const pages = documents.map((path) => {
  const text = blocksOf(path, '', 'sh', 'yaml').join('\n');
  return { path, flags: [...text.matchAll(AUDIT_FLAG)].map(([, flag = '']) => flag) };
});
const auditing = pages.filter(({ flags }) => flags.length > 0);
test.each(auditing)('$path has flags that the kube-apiserver has', ({ flags }) => {
  expect(flags.filter((flag) => !APISERVER_FLAG.test(flag))).toEqual([]);
});

const values = manifests.filter(
  ({ path, manifest }) =>
    path === 'infra/kubernetes/README.md' && !('kind' in manifest) && !('patches' in manifest),
);
test.each(values)('$path gives the chart values that it takes: $manifest', ({ manifest }) => {
  expect(wrongValues(manifest)).toBeNull();
});

const files = documents.flatMap((path) => blocksOf(path, 'ini').map((text) => ({ path, text })));
test.each(files)('a cloud.conf of $path is one that levelset takes', ({ text, path }) => {
  const { problems, warnings } = readCloudConf(text, path);
  expect([...problems, ...warnings]).toEqual([]);
});
