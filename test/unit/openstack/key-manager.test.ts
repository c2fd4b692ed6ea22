import { afterEach, beforeEach, expect, test } from 'vitest';
import { connectCloud } from '../../../shared/openstack/connect-cloud.ts';
import type { Cloud } from '../../../shared/ports.ts';
import { always, startFake, type Answer, type Fake } from './fake-openstack.ts';

const ID = '6732d152-4b18-4f15-b94a-d226f6e38e90';

let fake: Fake;
let cloud: Cloud;
let answer: Answer;
beforeEach(async () => {
  fake = await startFake((...all) => {
    answer(...all);
  });
  ({ cloud } = connectCloud(fake.config));
});
afterEach(() => fake.close());

test('an object of Barbican has neither envelope nor id: its address ends in it', async () => {
  const secret_ref = `http://127.0.0.1:9311/v1/secrets/${ID}`;
  answer = always(200, { name: 'p12', secret_ref });
  expect(await cloud.get('secret', ID)).toEqual({ id: ID, name: 'p12', secret_ref });
  answer = always(200, { name: 'p12' });
  await expect(cloud.get('secret', ID)).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
});

test('Barbican’s own 404 means gone; that of a path that is none does not', async () => {
  answer = always(404, {
    code: 404,
    title: 'Not Found',
    description: 'Not Found. Provided secret id is invalid.',
  });
  expect(await cloud.get('secret', ID)).toBeUndefined();
  answer = always(404, { code: 404, title: 'Not Found', description: '' });
  await expect(cloud.get('secret', ID)).rejects.toMatchObject({ code: 'UNEXPECTED_RESPONSE' });
});

test('a certificate is read as text, and is none where it may not be read or is no text', async () => {
  answer = (_seen, response) => {
    response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end('-----BEGIN');
  };
  expect(await cloud.certificateText(ID)).toBe('-----BEGIN');
  expect(fake.seen.at(-1)).toMatchObject({ method: 'GET', path: `/key-manager/v1/secrets/${ID}/payload` });
  for (const status of [403, 404, 406]) {
    answer = always(status, { code: status, title: 'no', description: 'no' });
    expect(await cloud.certificateText(ID)).toBeUndefined();
  }
  answer = always(501, { code: 501, title: 'no', description: 'no' });
  await expect(cloud.certificateText(ID)).rejects.toMatchObject({ name: 'ReconcileError' });
});

test('what is no id leads to no other path', async () => {
  answer = always(404, { code: 404, title: 'Not Found', description: 'Not Found. Secret not found.' });
  expect(await cloud.get('secret', '../containers')).toBeUndefined();
  expect(fake.seen.at(-1)?.path).toBe('/key-manager/v1/secrets/..%2Fcontainers');
});
