import type { Problem } from '../model/plan.ts';
import type { DesiredResource } from '../model/resources.ts';

/** What a create needs of each kind against what the project may still have; without numbers there is no limit. */
export function quotaProblems(
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
        blocking: true as const,
        code: 'QUOTA_EXCEEDED' as const,
      },
    ];
  });
}
