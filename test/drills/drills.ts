import { canaryDrill } from './canary.ts';
import { connectionsDrill } from './connections.ts';
import { diskDrill } from './disk.ts';
import type { Drill } from './drill.ts';
import { logsDrill } from './logs.ts';
import { operateDrill } from './operate.ts';
import { politenessDrill } from './politeness.ts';
import { readOnlyDrill } from './read-only.ts';
import { redisDrill } from './redis.ts';
import { REQUEST_DRILLS } from './requests/request-drills.ts';
import { sitesDrill } from './sites.ts';
import { streamsDrill } from './streams.ts';

export const DRILLS: readonly Drill[] = [
  streamsDrill,
  connectionsDrill,
  sitesDrill,
  politenessDrill,
  logsDrill,
  diskDrill,
  readOnlyDrill,
  redisDrill,
  canaryDrill,
  operateDrill,
  ...REQUEST_DRILLS,
];
