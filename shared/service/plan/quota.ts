import type { Problem } from '../../model/plan.ts';
import type { DesiredResource } from '../../model/resources.ts';

/** As `quotaShortages`, where nothing can be done without the create. */
export function quotaProblems(
  desired: readonly DesiredResource[],
  headroom?: Readonly<Record<string, number>>,
): readonly Problem[] {
  return quotaShortages(desired, headroom).map((problem) => ({ ...problem, blocking: true as const }));
}

/** What a create needs of each kind against what the project may still have; without numbers there is no limit. */
export function quotaShortages(
  desired: readonly DesiredResource[],
  headroom: Readonly<Record<string, number>> = {},
): readonly Problem[] {
  return Object.entries(headroom).flatMap(([kind, left]) => {
    const needed = desired.filter((resource) => resource.kind === kind).length;
    if (needed <= left) return [];
    const message = `the quota of the project leaves room for ${Math.max(left, 0)} more, ${needed} are needed; nothing is created until there is room`;
    return [
      {
        field: `quota ${kind}`,
        value: String(needed),
        message,
        code: 'QUOTA_EXCEEDED' as const,
      },
    ];
  });
}
