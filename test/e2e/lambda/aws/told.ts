import type { Deployment } from './deployment.ts';

/** What a deployment did since then, as one line: invocations of each function, cold ones, time, memory, calls of SSM. */
export function toldSince(deployment: Deployment, since: number): string {
  const done = deployment.lambda.invocations.filter(({ startedAt }) => startedAt >= since);
  const byFunction = Map.groupBy(done, (invocation) => invocation.function);
  const lines = [...byFunction].map(([name, all]) => {
    const sum = all.reduce((total, { ms }) => total + ms, 0);
    const cold = all.filter(({ isCold }) => isCold).length;
    const failed = all.filter(({ functionError }) => functionError !== undefined).length;
    const peak = Math.max(...all.map(({ peakMb = 0 }) => peakMb));
    const words = [`${all.length} x ${name.split('-').at(-1) ?? ''}`, `${sum} ms`, `${peak} MB`];
    if (cold > 0) words.push(`${cold} cold`);
    if (failed > 0) words.push(`${failed} failed`);
    return words.join(' ');
  });
  return lines.join('; ');
}

/** For a test that failed: what ran, what waits, and the ends of the logs. */
export async function tellAll(deployment: Deployment): Promise<void> {
  for (const { id } of deployment.template.queues) console.log(id, await deployment.depth(id));
  for (const { function: name, startedAt, ms, functionError, event } of deployment.lambda.invocations)
    console.log(
      new Date(startedAt).toISOString(),
      name,
      `${ms} ms`,
      functionError ?? '',
      event.slice(0, 300),
    );
  for (const { name } of deployment.template.functions)
    console.log(`${name}:\n${deployment.lambda.log(name).slice(-4_000)}`);
}
