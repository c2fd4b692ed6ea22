/** What PromQL names: metrics with the labels that a query matches, and the labels by which it sums. */
export interface Named {
  readonly metric: string;
  readonly labels: readonly string[];
}

/** Metrics of levelset in a query, recorded ones (with a colon) too. */
export function metricsIn(query: string): readonly Named[] {
  return [...query.matchAll(/\b(levelset[_:][a-z0-9_:]+)(?:\{([^}]*)\})?/g)].map(
    ([, metric = '', matchers = '']) => ({
      metric,
      labels: [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    }),
  );
}

/** Labels in `by (...)`. */
export function groupedBy(query: string): readonly string[] {
  return [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels.split(',').map((label) => label.trim()),
  );
}
