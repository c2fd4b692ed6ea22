import { join, resolve } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { packageTemplate, type PackagedTemplate } from '../../../functions/lambda/packaged-template.ts';
import { Deployment, type DeploymentOptions } from './deployment.ts';
import { startElasticMq, type ElasticMq } from './elasticmq.ts';
import { installed, type Installed } from './installed.ts';

const ZIPS = join(resolve(import.meta.dirname, '../../../..'), 'dist/functions');

interface Started {
  readonly installed: Installed;
  readonly elasticmq: ElasticMq;
  readonly packaged: PackagedTemplate;
}

export interface Aws {
  /** Another stack, in the SQS of the file; stopped after the last test, at the latest. */
  deploy(options: Pick<DeploymentOptions, 'parameters' | 'tls' | 'port'>): Promise<Deployment>;
}

/** SQS and the packaged template for the tests of a file. To be called once, at the top; `params` as for `--param`: NAME=VALUE. */
export function aws(params: readonly string[] = []): Aws {
  let started: Started | undefined;
  const deployments: Deployment[] = [];
  beforeAll(async () => {
    const parts = await installed();
    const [elasticmq, packaged] = await Promise.all([
      startElasticMq(parts.elasticmq),
      packageTemplate({ zips: ZIPS, params }),
    ]);
    started = { installed: parts, elasticmq, packaged };
  });
  afterAll(async () => {
    await Promise.all(deployments.map((deployment) => deployment.stop()));
    await started?.elasticmq.stop();
    await started?.packaged.remove();
  });
  return {
    async deploy(options) {
      if (!started) throw new Error('AWS is there from beforeAll on');
      const { installed: parts, elasticmq, packaged } = started;
      const deployment = await Deployment.start({
        ...options,
        ...{ installed: parts, sqsUrl: elasticmq.url, template: packaged.file, zips: ZIPS },
      });
      deployments.push(deployment);
      return deployment;
    },
  };
}
