/** What a sweep looked at, as it is said to people: `20 Services and 10 Nodes`. Without Nodes only the Services. */
export function inNumbers({
  services,
  nodes,
}: {
  readonly services: number;
  readonly nodes: number;
}): string {
  return [`${services} Services`, ...(nodes > 0 ? [`${nodes} Nodes`] : [])].join(' and ');
}
