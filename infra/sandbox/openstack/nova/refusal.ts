import { Refusal } from '../../refusal.ts';

const bodies: Record<number, string> = {
  400: 'badRequest',
  404: 'itemNotFound',
  406: 'computeFault',
  409: 'conflictingRequest',
};

/** Nova's error body (docs/sources/openstack.md, "Error bodies"). */
export const novaFault = (code: number, message: string): Refusal =>
  new Refusal(code, { [bodies[code] ?? 'computeFault']: { code, message } });

export const noSuchServer = (id: string): Refusal => novaFault(404, `Instance ${id} could not be found.`);

/** A path Nova does not have: WebOb's own 404, which says nothing about any server. */
export const noSuchPath = (): Refusal =>
  new Refusal(404, {
    message: 'The resource could not be found.<br /><br />\n\n\n',
    code: '404 Not Found',
    title: 'Not Found',
  });
