import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import * as z from 'zod';
import type { QueueEntry } from '../queue/queue.ts';

/**
 * What BullMQ does not know, kept beside its keys: which lane an entry belongs to, whose turn it is, and who runs. For each lane
 * `chat:` holds its unfinished entries by turn, `run:` those that run, and `parked:` those that were taken too early and wait
 * for one of these; `fair:` holds the unfinished entries of one `fairBy` by turn; `unfinished` holds all entries by the moment they were added, `turn` the turn that is being taken.
 *
 * Every script that acts for a worker first looks at the lock, so that nothing a worker writes after it lost its lease counts.
 */
const PRELUDE = `
local base, own = ARGV[1], ARGV[2]
local function holds(id, token) return redis.call('GET', base .. id .. ':lock') == token end
local function isFree(id, lane, atOnce, turn)
  local run, parked = own .. 'run:' .. lane, own .. 'parked:' .. lane
  local free = atOnce - redis.call('SCARD', run)
  if free <= 0 then return false end
  -- What was taken before it may arrive here after it, from another process.
  for _, each in ipairs(redis.call('ZRANGEBYSCORE', own .. 'chat:' .. lane, '-inf', '(' .. turn)) do
    if redis.call('SISMEMBER', run, each) == 0
        and (redis.call('EXISTS', base .. each .. ':lock') == 1 or redis.call('ZSCORE', parked, each)) then
      free = free - 1
      if free <= 0 then return false end
    end
  end
  return true
end
local function handOver(id, lane)
  if redis.call('SREM', own .. 'run:' .. lane, id) == 0 then return '' end
  while true do
    local popped = redis.call('ZPOPMIN', own .. 'parked:' .. lane)
    if #popped == 0 then return '' end
    if redis.call('EXISTS', base .. popped[1]) == 1 then
      redis.call('SADD', own .. 'run:' .. lane, popped[1])
      return popped[1]
    end
  end
end
local function finish(id, lane, fairBy)
  redis.call('HSET', base .. id, 'data', '{}')
  redis.call('ZREM', own .. 'unfinished', id)
  redis.call('ZREM', own .. 'chat:' .. lane, id)
  redis.call('ZREM', own .. 'fair:' .. fairBy, id)
  redis.call('ZREM', own .. 'parked:' .. lane, id)
  return handOver(id, lane)
end
`;

/** BullMQ's largest priority. */
const LAST_TURN = 2_097_152;

const SCRIPTS = {
  /** Gives an entry its turn. When a bound is reached, entries that were never added (their gateway died) are taken out first. */
  plan: `
local id, lane, fairBy, now = ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local entries, perFairBy, lifeMs = tonumber(ARGV[7]), tonumber(ARGV[8]), ARGV[9]
if redis.call('EXISTS', base .. id) == 1 then return {'known', 0, 0} end
local ofLane, ofAccount, all = own .. 'chat:' .. lane, own .. 'fair:' .. fairBy, own .. 'unfinished'
local function prune(key, ids)
  for _, each in ipairs(ids) do
    if redis.call('EXISTS', base .. each) == 0 then
      redis.call('ZREM', key, each)
      redis.call('ZREM', ofLane, each)
      redis.call('ZREM', all, each)
    end
  end
end
if redis.call('ZCARD', ofAccount) >= perFairBy then prune(ofAccount, redis.call('ZRANGE', ofAccount, 0, -1)) end
local count = redis.call('ZCARD', ofAccount)
if count >= perFairBy then return {'fairBy', count, 0} end
if redis.call('ZCARD', all) >= entries then prune(all, redis.call('ZRANGE', all, 0, 99)) end
local total = redis.call('ZCARD', all)
if total >= entries then return {'queue', total, 0} end
if total == 0 then redis.call('DEL', own .. 'turn') end
local turn = tonumber(redis.call('GET', own .. 'turn') or '1')
local ahead = redis.call('ZCARD', ofLane)
-- Those of 0.2.0 stand in their lane alone.
for _, each in ipairs({ofLane, ofAccount}) do
  local last = redis.call('ZRANGE', each, -1, -1, 'WITHSCORES')
  if #last > 0 then turn = math.max(turn, tonumber(last[2]) + 1) end
end
turn = math.min(turn, ${LAST_TURN})
for _, each in ipairs({ofLane, ofAccount}) do
  redis.call('ZADD', each, turn, id)
  redis.call('PEXPIRE', each, lifeMs)
end
redis.call('ZADD', all, now, id)
return {'accepted', ahead, turn}`,

  /** Whether a claimed entry may run now; else it waits for its lane from now on. */
  enter: `
local id, lane, token, atOnce, turn = ARGV[3], ARGV[4], ARGV[5], tonumber(ARGV[6]), tonumber(ARGV[7])
if not holds(id, token) then return 'lost' end
local run = own .. 'run:' .. lane
if redis.call('SISMEMBER', run, id) == 0 and not isFree(id, lane, atOnce, turn) then
  redis.call('ZADD', own .. 'parked:' .. lane, turn, id)
  return 'wait'
end
redis.call('SADD', run, id)
redis.call('ZREM', own .. 'parked:' .. lane, id)
if turn > tonumber(redis.call('GET', own .. 'turn') or '1') then redis.call('SET', own .. 'turn', turn) end
return 'go'`,

  /** For an entry that was sent back to wait for its lane: it may have been called, or a place be free, by now. */
  park: `
local id, lane, atOnce, turn = ARGV[3], ARGV[4], tonumber(ARGV[5]), tonumber(ARGV[6])
local run = own .. 'run:' .. lane
if redis.call('SISMEMBER', run, id) == 1 then return 'go' end
if not isFree(id, lane, atOnce, turn) then return 'wait' end
redis.call('SADD', run, id)
redis.call('ZREM', own .. 'parked:' .. lane, id)
return 'go'`,

  save: `
local id, token, data = ARGV[3], ARGV[4], ARGV[5]
if not holds(id, token) then return 0 end
redis.call('HSET', base .. id, 'data', data)
return 1`,

  /** Frees the place in the lane; says who takes it. An empty \`data\` changes nothing. What yields goes behind all that wait now. */
  release: `
local id, lane, fairBy, token, data, yields = ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7], ARGV[8]
if not holds(id, token) then return {0, ''} end
if data ~= '' then redis.call('HSET', base .. id, 'data', data) end
if yields == '1' then
  local turn = tonumber(redis.call('GET', own .. 'turn') or '1') + 1
  turn = math.min(math.max(turn, tonumber(redis.call('HGET', base .. id, 'priority') or '1')), ${LAST_TURN})
  redis.call('HSET', base .. id, 'priority', turn)
  redis.call('ZADD', own .. 'chat:' .. lane, turn, id)
  redis.call('ZADD', own .. 'fair:' .. fairBy, 'XX', turn, id)
end
return {1, handOver(id, lane)}`,

  settle: `
local id, lane, fairBy, token = ARGV[3], ARGV[4], ARGV[5], ARGV[6]
if not holds(id, token) then return {0, ''} end
return {1, finish(id, lane, fairBy)}`,

  /** Ends an entry that no worker holds. */
  cancel: `
local id, lane, fairBy = ARGV[3], ARGV[4], ARGV[5]
if redis.call('EXISTS', base .. id) == 0 or redis.call('EXISTS', base .. id .. ':lock') == 1 then return {0, ''} end
return {1, finish(id, lane, fairBy)}`,
} as const;

type Script = keyof typeof SCRIPTS;

const PLAN = z.tuple([z.enum(['known', 'fairBy', 'queue', 'accepted']), z.number(), z.number()]);
const PLACE = z.enum(['go', 'wait', 'lost']);
/** Whether it was done, and the entry whose turn it is in that lane, or nothing. */
const HANDED = z.tuple([z.number(), z.string()]);

export interface RedisLineOptions {
  readonly client: Redis;
  /** What BullMQ's keys of entries begin with. */
  readonly base: string;
}

export interface PlanBounds {
  /** Unix milliseconds. */
  readonly now: number;
  readonly entries: number;
  readonly perFairBy: number;
  /** What is kept about a lane is gone so long after its last entry. */
  readonly lifeMs: number;
}

/** Where an entry's place is, and its turn. */
export type Account = Pick<QueueEntry, 'lane' | 'fairBy'>;

/** Turns and places of a queue on Redis; ids are those of BullMQ. */
export function createRedisLine({ client, base }: RedisLineOptions) {
  const own = `${base}line:`;
  const all = `${own}unfinished`;

  async function run(script: Script, ...args: readonly (string | number)[]): Promise<unknown> {
    const { sha, lua } = LOADED[script];
    try {
      return await client.evalsha(sha, 0, base, own, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return client.eval(lua, 0, base, own, ...args);
    }
  }

  return {
    async plan(id: string, { lane, fairBy }: Account, bounds: PlanBounds) {
      const { now, entries, perFairBy, lifeMs } = bounds;
      const answer = await run('plan', id, lane, fairBy, now, entries, perFairBy, lifeMs);
      const [outcome, count, turn] = PLAN.parse(answer);
      return { outcome, count, turn };
    },
    async enter(id: string, lane: string, claim: { token: string; atOnce: number; turn: number }) {
      return PLACE.parse(await run('enter', id, lane, claim.token, claim.atOnce, claim.turn));
    },
    async park(id: string, lane: string, place: { atOnce: number; turn: number }) {
      return PLACE.parse(await run('park', id, lane, place.atOnce, place.turn));
    },
    async save(id: string, token: string, data: string): Promise<boolean> {
      return (await run('save', id, token, data)) === 1;
    },
    async release(id: string, { lane, fairBy }: Account, token: string, changed: { data: string; yields: boolean }) {
      return handed(await run('release', id, lane, fairBy, token, changed.data, changed.yields ? 1 : 0));
    },
    async settle(id: string, { lane, fairBy }: Account, token: string) {
      return handed(await run('settle', id, lane, fairBy, token));
    },
    async cancel(id: string, { lane, fairBy }: Account) {
      return handed(await run('cancel', id, lane, fairBy));
    },
    count: () => client.zcard(all),
    /** The unfinished entries that were added before a moment, oldest first, at most `most`. */
    addedBefore: (moment: number, most: number) => client.zrangebyscore(all, '-inf', moment, 'LIMIT', 0, most),
    /** When the entry that is the next to be claimed was added. */
    async oldestAt(): Promise<number | undefined> {
      const [next] = await client.zrange(`${base}prioritized`, 0, 0);
      const score = next === undefined ? null : await client.zscore(all, next);
      return score === null ? undefined : Number(score);
    },
    drop: (id: string) => client.zrem(all, id),
  };
}

function handed(answer: unknown): { readonly ok: boolean; readonly next: string | undefined } {
  const [done, next] = HANDED.parse(answer);
  return { ok: done === 1, next: next === '' ? undefined : next };
}

const LOADED = {
  plan: load('plan'),
  enter: load('enter'),
  park: load('park'),
  save: load('save'),
  release: load('release'),
  settle: load('settle'),
  cancel: load('cancel'),
} satisfies Record<Script, { sha: string; lua: string }>;

function load(script: Script): { readonly sha: string; readonly lua: string } {
  const lua = PRELUDE + SCRIPTS[script];
  return { sha: createHash('sha1').update(lua).digest('hex'), lua };
}
