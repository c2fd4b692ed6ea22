/** What PromQL names: metrics with the labels that a query matches, and the labels by which it sums. */
export interface Named {
  readonly metric: string;
  readonly labels: readonly string[];
  /** Those that name values, as the whole value must match. */
  readonly values: readonly { readonly label: string; readonly pattern: RegExp }[];
}

/** Metrics of levelset in a query, recorded ones (with a colon) too. */
export function metricsIn(query: string): readonly Named[] {
  return [...query.matchAll(/\b(levelset[_:][a-z0-9_:]+)(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', matchers = '']) => ({
      metric,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
      values: [...matchers.matchAll(/(\w+)=~?"([^"$]+)"/g)].map(([, label = '', value = '']) => ({
        label,
        pattern: new RegExp(`^(?:${value.replaceAll('\\\\', '\\')})$`),
      })),
    }),
  );
}

/** Labels in `by (...)`. */
export function groupedBy(query: string): readonly string[] {
  return [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  );
}
