import { asReconcileError, ReconcileError } from '../../../shared/model/errors.ts';
import type { World } from '../../../shared/ports.ts';
import { readOf, toJson, type Answer } from './bundle.ts';
import { keptOf } from './kept.ts';

interface RecordedWorld {
  /** The same World, whose clock stands still, and which refuses to write. */
  readonly world: World;
  /** What its reads have answered so far. */
  readonly reads: Readonly<Record<string, readonly Answer[]>>;
  /** Waits for what is still asked: a plan that fails does not. */
  readonly answered: () => Promise<unknown>;
}

/** Notes what each read of a World answers, without what a bundle must not have. */
export function recordWorld(world: World): RecordedWorld {
  const reads: Record<string, Answer[]> = {};
  const asked: Promise<unknown>[] = [];
  const kept = keptOf(world.config.nodes.serverMetadata);
  const now = world.clock.now();

  /** @param called how the read is written in the bundle; @param path which one it is */
  const recording = <T extends object>(port: T, path: string, called: string): T =>
    new Proxy(port, {
      get: (_, name) => {
        const its = Reflect.get(port, name) as unknown;
        const [itsPath, itsCall] = [`${path}.${String(name)}`, `${called}.${String(name)}`];
        if (typeof its === 'object' && its !== null) return recording(its, itsPath, itsCall);
        if (typeof its !== 'function') return its;
        if (name === 'during')
          return (run: unknown) => recording(Reflect.apply(its, port, [run]) as T, path, called);
        return (...args: unknown[]): unknown => {
          const read = readOf(itsCall, args);
          const keep = kept[itsPath];
          if (!keep) throw refused(itsPath);
          const answers = (reads[read] ??= []);
          const at = answers.push({}) - 1;
          const answer = (Reflect.apply(its, port, args) as Promise<unknown>).then(
            (value) => {
              const safe = toJson(keep(value, args));
              if (safe !== undefined) answers[at] = { value: safe };
              return value;
            },
            (error: unknown) => {
              const { code, message, context } = asReconcileError(error);
              answers[at] = {
                error: { code, message, ...(context.status !== undefined && { status: context.status }) },
              };
              throw error;
            },
          );
          asked.push(answer);
          return answer;
        };
      },
    });
  return {
    reads,
    answered: () => Promise.allSettled(asked),
    world: {
      ...world,
      kube: recording(world.kube, 'kube', 'kube'),
      cloud: recording(world.cloud, 'cloud', 'cloud'),
      clock: { now: () => now },
    },
  };
}

/** A plan writes nothing, so nothing that writes is called. */
export function refused(path: string): ReconcileError {
  return new ReconcileError('UNEXPECTED_RESPONSE', `${path} is no read: a bundle only plans`);
}
