/** What goes wrong around levelset, and levelset itself being killed. One thing at a time, each for some seconds. */
import { setTimeout as pause } from 'node:timers/promises';
import { startCloudFront, type CloudFront } from '../fixtures/cloud-front.ts';
import { Door } from '../fixtures/door.ts';
import { lab, ownPort, startLevelset, writeCloudConfig, type Levelset } from '../lab/lab.ts';
import type { TroubleEdit } from './script.ts';

/** What was lost on the way is found by the next sweep: often, so that a short run has several. */
const SWEEP_INTERVAL = '45s';

export class Troubles {
  readonly #front: CloudFront;
  /** Where the kube-apiserver sends its audit events. */
  readonly #door: Door;
  readonly cloudConfig: string;
  #levelset: Levelset | undefined;

  private constructor(front: CloudFront, cloudConfig: string) {
    this.#front = front;
    this.cloudConfig = cloudConfig;
    const [host = '', port] = lab().listen.split(':');
    this.#door = new Door({ host, port: Number(port) }, ownPort());
  }

  static async begin(): Promise<Troubles> {
    const front = await startCloudFront();
    const cloudConfig = await writeCloudConfig('of-chaos', {
      Global: { 'auth-url': front.authUrl },
      LoadBalancer: { 'max-shared-lb': 10, 'manage-security-groups': true },
    });
    const troubles = new Troubles(front, cloudConfig);
    await troubles.allWell();
    return troubles;
  }

  async edit(edit: TroubleEdit): Promise<boolean> {
    const { does, seconds } = edit;
    if (does === 'api') await this.#front.inTrouble(edit.api, edit.trouble);
    if (does === 'webhook') await this.#door.shut();
    if (does === 'kill') await this.kill();
    await pause(seconds * 1_000);
    await this.allWell();
    return true;
  }

  /** Every API answers, the audit events arrive, and levelset runs. */
  async allWell(): Promise<void> {
    for (const api of ['identity', 'load-balancer', 'network', 'compute'] as const)
      await this.#front.inTrouble(api);
    await this.#door.open();
    if (this.#levelset) return;
    const { cloudConfig } = this;
    const listen = `127.0.0.1:${ownPort()}`;
    this.#levelset = await startLevelset({ cloudConfig, listen, sweepInterval: SWEEP_INTERVAL });
  }

  /** SIGKILL. */
  async kill(): Promise<void> {
    await this.#levelset?.kill();
    this.#levelset = undefined;
  }

  /** A sweep of everything, now. */
  async sweep(): Promise<void> {
    await this.#levelset?.resync({ all: true });
  }

  /** The end of what levelset has logged since it was started last. */
  log(): string {
    return this.#levelset?.log().slice(-20_000) ?? '';
  }

  /** SIGTERM. */
  async stop(): Promise<void> {
    await this.#levelset?.stop();
    this.#levelset = undefined;
  }

  async end(): Promise<void> {
    await this.stop();
    await this.#door.shut();
    await this.#front.close();
  }
}
