/** As Kubernetes writes times: whole seconds. `now` is milliseconds since 1970. */
export function rfc3339(now: number): string {
  return `${new Date(now).toISOString().slice(0, 19)}Z`;
}
