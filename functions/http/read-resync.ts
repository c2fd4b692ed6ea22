import type { Problem } from '../../shared/model/plan.ts';
import { isUnit, parseKey, type Key } from '../../shared/model/request.ts';

/** What `POST /resync` asks for. */
export interface ResyncOrder {
  /** Each once; empty for `all`. */
  readonly objects: readonly Key[];
  readonly all: boolean;
  readonly dryRun: boolean;
}

/** More at once is a sweep's work. */
const MOST_OBJECTS = 100;

/** Reads the body of `POST /resync`, or names everything that is wrong with it. */
export function readResync(body: unknown): ResyncOrder | readonly Problem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return [problem('body', body, 'must be an object with "objects" or "all"')];
  }
  const { objects, all, dryRun, ...unknown } = body as Partial<Record<string, unknown>>;
  const list: readonly unknown[] = Array.isArray(objects) ? objects : [];
  const problems = Object.entries(unknown).map(([field, value]) =>
    problem(field, value, 'is not known: "objects", "all" and "dryRun" are'),
  );
  if ((objects === undefined) === (all === undefined)) {
    problems.push(problem('objects', objects, 'must be given, or "all": one of the two'));
  }
  if (objects !== undefined && (!Array.isArray(objects) || list.length === 0 || list.length > MOST_OBJECTS)) {
    problems.push(problem('objects', objects, `must be a list of 1 to ${MOST_OBJECTS} objects`));
  }
  list.forEach((object, i) => {
    if (objectKey(object) === undefined) {
      problems.push(problem(`objects[${i}]`, object, 'must be service/NAMESPACE/NAME, node/NAME or routes'));
    }
  });
  if (all !== undefined && all !== true) problems.push(problem('all', all, 'can only be true'));
  if (dryRun !== undefined && typeof dryRun !== 'boolean') {
    problems.push(problem('dryRun', dryRun, 'must be true or false'));
  }
  if (dryRun === true && all !== undefined) {
    problems.push(problem('dryRun', dryRun, 'needs "objects": `levelset sweep --dry-run` shows everything'));
  }
  if (problems.length > 0) return problems;
  const keys = list.map(objectKey).filter((key) => key !== undefined);
  return { objects: [...new Set(keys)], all: all === true, dryRun: dryRun === true };
}

function objectKey(object: unknown): Key | undefined {
  const key = typeof object === 'string' ? parseKey(object) : undefined;
  return key !== undefined && isUnit(key) ? key : undefined;
}

function problem(field: string, value: unknown, message: string): Problem {
  const text = value === undefined ? '' : JSON.stringify(value);
  return { field, value: text.length > 100 ? `${text.slice(0, 100)}...` : text, message };
}
