import { afterEach, beforeEach, expect, it } from 'vitest';
import { startSandbox, type FaultRule, type Sandbox } from '../../infra/sandbox/sandbox.ts';

let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ nodes: 0 });
});

afterEach(() => sandbox.close());

const post = (name: string, signal?: AbortSignal): Promise<Response> =>
  fetch(`${sandbox.kubeUrl}/api/v1/namespaces/levelset/configmaps`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${sandbox.kubeToken}` },
    body: JSON.stringify({ metadata: { name } }),
    ...(signal ? { signal } : {}),
  });
const exists = (name: string): boolean => sandbox.kube.get('ConfigMap', 'levelset', name) !== undefined;
const write = (kind: FaultRule['kind'], more: Partial<FaultRule> = {}): (() => void) =>
  sandbox.fault({ match: { side: 'kube', write: true }, kind, ...more });

it('fails before or after the effect, once by default', async () => {
  write('fail-before', { status: 500 });
  expect([(await post('a')).status, exists('a')]).toEqual([500, false]);
  expect((await post('a')).status).toBe(201);
  write('fail-after');
  expect([(await post('b')).status, exists('b')]).toEqual([503, true]);
});

it('resets the connection before or after the effect', async () => {
  write('reset-before');
  await expect(post('a')).rejects.toThrow();
  expect(exists('a')).toBe(false);
  write('reset-after');
  await expect(post('b')).rejects.toThrow();
  expect(exists('b')).toBe(true);
});

it('hangs without effect until the client gives up', async () => {
  write('hang');
  await expect(post('a', AbortSignal.timeout(50))).rejects.toThrow();
  expect(exists('a')).toBe(false);
  expect(sandbox.requests.at(-1)).toMatchObject({ method: 'POST', status: 0, write: true });
});

it('counts matches from one and can be cleared', async () => {
  const clear = write('fail-before', { match: { method: 'POST', path: /configmaps$/, nth: 2 }, times: 2 });
  expect((await post('a')).status).toBe(201);
  expect((await post('b')).status).toBe(503);
  clear();
  expect((await post('b')).status).toBe(201);
});

it('calls around the effect; a client that dies before it leaves no effect', async () => {
  const seen: boolean[] = [];
  write('call', { before: () => void seen.push(exists('a')), after: () => void seen.push(exists('a')) });
  expect((await post('a')).status).toBe(201);
  expect(seen).toEqual([false, true]);
  const dying = new AbortController();
  write('call', {
    before: () => {
      dying.abort();
    },
  });
  await expect(post('b', dying.signal)).rejects.toThrow();
  expect(exists('b')).toBe(false);
});

it('changes what was sent, as a mutating webhook does, and answers with what is stored', async () => {
  const mutate = (body: unknown) => ({ ...(body as object), data: { by: 'webhook' } });
  write('call', { mutate });
  expect(await (await post('a')).json()).toMatchObject({ data: { by: 'webhook' } });
  expect(sandbox.kube.get('ConfigMap', 'levelset', 'a')).toMatchObject({ data: { by: 'webhook' } });
});
