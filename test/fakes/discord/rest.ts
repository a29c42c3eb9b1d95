import { type ApplicationRoutesOptions, applicationRoutes } from './application-routes.ts';
import { type InteractionRoutesOptions, interactionRoutes } from './interaction-routes.ts';
import { type MessageRoutesOptions, messageRoutes } from './message-routes.ts';
import { placeRoutes } from './place-routes.ts';
import { Refusal } from './records.ts';
import type { Answer, Call } from './route.ts';

export interface RestOptions extends ApplicationRoutesOptions, InteractionRoutesOptions, MessageRoutesOptions {}

/** @returns what answers a call. @throws {Refusal} */
export function createRest(options: RestOptions): (call: Call) => Answer {
  const routes = [
    ...applicationRoutes(options),
    ...interactionRoutes(options),
    ...messageRoutes(options),
    ...placeRoutes(options.places, options.botUserId),
  ];
  return call => {
    for (const route of routes) {
      if (route.method !== call.method) continue;
      const match = route.path.exec(call.path);
      if (match === null) continue;
      if (route.open !== true && !call.authorized) throw new Refusal(401, 0, '401: Unauthorized');
      return route.handle(call, match[1] ?? '', match[2] ?? '', match[3] ?? '');
    }
    throw new Refusal(404, 0, '404: Not Found');
  };
}
