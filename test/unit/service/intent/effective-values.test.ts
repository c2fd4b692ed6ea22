import { expect, test } from 'vitest';
import { OPTIONS as OF_CLOUD_CONF } from '../../../../shared/config/cloud-conf/options.ts';
import { camel } from '../../../../shared/config/read-value.ts';
import { ANNOTATIONS } from '../../../../shared/service/intent/annotations.ts';
import { effectiveValues, overruledValues } from '../../../../shared/service/intent/effective-values.ts';
import { readIntent } from '../../../../shared/service/intent/service-intent.ts';
import type { ServiceIntent } from '../../../../shared/service/intent/service-intent.ts';
import { aConfig } from '../../../support/config.ts';
import { aStoredService } from '../../../support/service.ts';

const ID = '0b4f0d8e-1d1a-4f4a-9a51-0d7a2a3b4c5d';

function intentOf(annotations: Readonly<Record<string, string>>, conf: object = {}): ServiceIntent {
  const config = aConfig('http://127.0.0.1:1');
  const given = Object.keys(conf);
  const all = { ...config, given, loadBalancer: { ...config.loadBalancer, ...conf } };
  return readIntent(aStoredService({ annotations }), all);
}

const ROWS = ANNOTATIONS.flatMap(({ names, example }) =>
  names.map((name) => [name, example.replace(/^[A-Z_]+_ID$/, ID)] as const),
);

test.each(ROWS)('%s is named as what set its value, unless a Problem names it', (name, example) => {
  const intent = intentOf({ [name]: example });
  const named = effectiveValues(intent).filter(({ setBy }) => setBy === `annotation ${name}`);
  const isWrong = intent.problems.some(({ field }) => field === name);
  expect(named.length > 0 || isWrong).toBe(true);
});

const OPTIONS = ANNOTATIONS.flatMap(({ option, names: [name = ''] }) =>
  option ? [[option, name] as const] : [],
);

test.each(OPTIONS)(
  '%s of cloud.conf is named by its key, until the annotation sets the value',
  (field, name) => {
    const key = Object.keys(OF_CLOUD_CONF.LoadBalancer).find((one) => camel(one) === field) ?? '';
    const value =
      { nodeSelector: { pool: 'edge' }, monitorDelay: 9, enableIngressHostname: true }[field as string] ?? ID;
    const setBy = (annotations: Readonly<Record<string, string>>) =>
      effectiveValues(intentOf(annotations, { [field]: value })).map((one) => one.setBy);
    expect(setBy({})).toContain(`cloud.conf ${key}`);
    const example = ROWS.find(([one]) => one === name)?.[1] ?? '';
    // an internal Service of cloud.conf stays one (docs/sources/occm.md, "Internal Services and IPv6")
    if (field !== 'internalLb') expect(setBy({ [name]: example })).not.toContain(`cloud.conf ${key}`);
  },
);

test('an option that an annotation of its group goes before is told, and is no Problem', () => {
  const intent = intentOf({ 'loadbalancer.openstack.org/port-id': ID }, { subnetId: ID });
  expect(overruledValues(intent)).toEqual([
    {
      field: 'cloud.conf subnet-id',
      value: ID,
      message: 'does not count: annotation loadbalancer.openstack.org/port-id goes first',
    },
  ]);
  expect(intent.problems).toEqual([]);
});
