/** A process that lives in the time of time-server.ts: it says when it waits, and goes on when it is told to. */
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { NUMBER, type Moved, type Waiting } from './time-server.ts';
import { virtual } from './virtual-time.ts';

/** Turns of the event loop without anything, after which nothing comes any more but by the network or by time. */
const CALM_TURNS = 4;

/** Requests by their numbers, which a header tells to who answers. */
const sent: number[] = [];
const open = new Set<number>();
const closing = new Map<number, () => void>();
let requests = 0;
let activity = 0;

/** @param port that of the requests whose answers take their time. */
function follow(port: string): void {
  subscribe('http.client.request.created', (message) => {
    const { request } = message as { request: ClientRequest };
    if (!String(request.getHeader('host')).endsWith(`:${port}`)) return;
    const number = (requests += 1);
    activity += 1;
    open.add(number);
    request.setHeader(NUMBER, String(number));
    request.once('socket', () => {
      activity += 1;
      sent.push(number);
    });
    request.once('close', () => {
      activity += 1;
      open.delete(number);
      closing.get(number)?.();
    });
  });
}

async function calm(): Promise<void> {
  for (let turns = 0; turns < CALM_TURNS; turns += 1) {
    const before = activity;
    await turn();
    if (activity !== before) turns = 0;
  }
}

async function closed(numbers: readonly number[]): Promise<void> {
  const left = numbers.filter((number) => open.has(number));
  await Promise.all(left.map((number) => new Promise<void>((resolve) => closing.set(number, resolve))));
  closing.clear();
}

/** Resolves when it waits. It goes on for as long as the process lives. */
export async function liveInTime(timePort: number, sandboxPort: number) {
  follow(String(sandboxPort));
  const socket = connect(timePort, '127.0.0.1').setNoDelay(true);
  await once(socket, 'connect');
  let before = process.cpuUsage();
  const wait = async (): Promise<void> => {
    await calm();
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    const { nextMs } = virtual;
    const waiting: Waiting = {
      sent: sent.splice(0),
      nextMs: nextMs === Infinity ? null : nextMs,
      cpuMs: (user + system) / 1e3,
    };
    socket.write(`${JSON.stringify(waiting)}\n`);
  };
  createInterface({ input: socket }).on('line', (line) => {
    const { nowMs, answered } = JSON.parse(line) as Moved;
    void closed(answered).then(() => {
      activity += 1;
      virtual.moveTo(nowMs);
      return wait();
    });
  });
  await wait();
  return {
    // what nobody else could know of
    began: async () => {
      for (const before = activity; activity === before;) await turn();
      await wait();
    },
  };
}
