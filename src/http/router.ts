// The one place that knows Fastify: every request, whatever its method and path, goes to one listener.

import type { RequestListener } from 'node:http';
import Fastify from 'fastify';
import type { Listener } from './listener.ts';

export async function router(listener: Listener): Promise<RequestListener> {
  // All paths are one to Fastify: which path means what is decided by dispatch, from the model.
  const app = Fastify({ logger: false, rewriteUrl: () => '/' });
  app.addHook('onRequest', (request, reply) => {
    reply.hijack();
    listener(request.raw, reply.raw, request.originalUrl);
  });
  app.all('/', () => undefined);
  app.setNotFoundHandler(() => undefined);
  await app.ready();
  return app.routing;
}
