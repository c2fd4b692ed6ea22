import type { Config } from '../config/config.ts';
import { needsCidrs } from './evaluate-cidrs.ts';
import type { Node } from '../model/kubernetes.ts';
import {
  hasTaint,
  readyStatus,
  SERVER_GONE,
  SHUTDOWN_TAINT,
  UNINITIALIZED_TAINT,
} from '../model/node/node.ts';

/** Whether nothing of the Node waits for its server. The sweep compares such a Node with its server. */
export function isAtWork(node: Node, { nodeCidrs }: Pick<Config, 'nodeCidrs'>): boolean {
  const { annotations } = node.metadata;
  const isMarked =
    hasTaint(node, UNINITIALIZED_TAINT) || hasTaint(node, SHUTDOWN_TAINT) || annotations?.[SERVER_GONE];
  const waits = nodeCidrs !== undefined && needsCidrs(node);
  return !isMarked && !waits && readyStatus(node) === 'True';
}
