/** First import of a file here: the suite's file that is imported after it runs with the access rules and no other right. */
import { beforeAll } from 'vitest';
import { lab, useLogin } from '../lab/environment.ts';
import { makeCredential, rulesOfFile } from './credential.ts';

beforeAll(async () => {
  if (!lab().controllable) return undefined;
  const before = lab();
  const { cloud, cloudConfig, remove } = await makeCredential('access-rules', rulesOfFile());
  useLogin({ levelsetCloud: cloud, cloudConfig });
  return async () => {
    useLogin(before);
    await remove();
  };
});
