import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import * as z from 'zod';
import type { QueueEntry, QueueLimits } from '../queue/queue.ts';

/**
 * The queue's entries in Redis. They have keys of our own beside BullMQ's, which knows only their ids, turns and
 * timers. An entry's turn is the number of the round in which it is served; each account (`fairBy`) has one a round.
 * - `entry:ID` is the entry with its last attempt and the attempt that holds it (`holder`).
 * - `ids` sorts unfinished entries by the time they were added, finished ones by minus the time they ended.
 * - `fair:FAIR_BY` sorts the entries of one `fairBy` by turn.
 * - `lane:LANE` has a score for each entry: 0 if it has a slot, -1 if it is delayed, its turn if it waits for a slot.
 * - `turn` is the turn that is being served.
 * A worker writes under the number of its attempt (`attemptsStarted`), which rises with each claim from BullMQ: once
 * another worker has begun, writes of an earlier one are refused.
 */
const PRELUDE = `
local own = ARGV[1]
local ids, current = own .. 'ids', own .. 'turn'
local function entryOf(id) return own .. 'entry:' .. id end
local function fairOf(fairBy) return own .. 'fair:' .. fairBy end
local function laneOf(lane) return own .. 'lane:' .. lane end
local function currentTurn() return tonumber(redis.call('GET', current) or '1') end
local function isPlaced(id, lane) return redis.call('ZSCORE', laneOf(lane), id) == '0' end
local function place(id, lane, turn, atOnce, isAlone)
  local key = laneOf(lane)
  local isFree = isAlone or redis.call('ZCOUNT', key, 0, 0) < atOnce and redis.call('ZCOUNT', key, 1, '(' .. turn) == 0
  redis.call('ZADD', key, isFree and 0 or turn, id)
  return isFree
end
local function handOver(lane)
  local next = redis.call('ZRANGEBYSCORE', laneOf(lane), 1, '+inf', 'LIMIT', 0, 1)[1]
  if not next then return '' end
  redis.call('ZADD', laneOf(lane), 0, next)
  return next
end
local function finish(id, lane, fairBy)
  redis.call('DEL', entryOf(id))
  redis.call('ZREM', fairOf(fairBy), id)
  redis.call('ZREM', laneOf(lane), id)
end
`;

/** The largest priority that BullMQ accepts. */
const LAST_TURN = 2_097_152;

const RUN = {
  /**
   * Adds an entry, unless its id is known or a bound is reached, and gives it its turn. An entry that is not delayed
   * gets a slot of its lane, or is parked: it waits until one is free.
   */
  plan: script(`
local id, lane, fairBy, atOnce, now = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[7]), ARGV[8]
if redis.call('ZADD', ids, 'NX', now, id) == 0 then
  local known = redis.call('HGET', entryOf(id), 'turn')
  if not known then return {'known', 0, 0, 0} end
  return {'kept', 0, tonumber(known), isPlaced(id, lane) and 1 or 0}
end
local count, total = redis.call('ZCARD', fairOf(fairBy)), redis.call('ZCOUNT', ids, 0, '+inf') - 1
local full = count >= tonumber(ARGV[11]) and {'fairBy', count, 0, 0} or total >= tonumber(ARGV[10]) and {'queue', total, 0, 0}
if full then
  redis.call('ZREM', ids, id)
  return full
end
if total == 0 then redis.call('DEL', current) end
local turn = total == 0 and 1 or currentTurn()
if count > 0 then turn = math.max(turn, tonumber(redis.call('ZRANGE', fairOf(fairBy), -1, -1, 'WITHSCORES')[2]) + 1) end
turn = math.min(turn, ${LAST_TURN})
redis.call('HSET', entryOf(id), 'lane', lane, 'fairBy', fairBy, 'owner', ARGV[5], 'payload', ARGV[6], 'atOnce', atOnce,
  'addedAt', now, 'turn', turn, 'attempt', 0, 'holder', '')
redis.call('ZADD', fairOf(fairBy), turn, id)
local ahead = count > 0 and redis.call('ZCARD', laneOf(lane)) or 0
if ARGV[9] ~= '1' then return {'accepted', ahead, turn, place(id, lane, turn, atOnce, ahead == 0) and 1 or 0} end
redis.call('ZADD', laneOf(lane), -1, id)
return {'accepted', ahead, turn, 0}`),

  /** Lets a worker hold the entry if it has a slot of its lane or one is free; else the entry waits for a slot. */
  enter: script(`
local id, attempt = ARGV[2], ARGV[3]
local known = redis.call('HMGET', entryOf(id), 'attempt', 'lane', 'turn', 'atOnce', 'payload', 'addedAt')
local lane, turn = known[2], tonumber(known[3])
if not lane then return {'gone', '', '', 0} end
if tonumber(known[1]) >= tonumber(attempt) then return {'lost', lane, '', 0} end
if not isPlaced(id, lane) and not place(id, lane, turn, tonumber(known[4])) then return {'wait', lane, '', 0} end
redis.call('HSET', entryOf(id), 'attempt', attempt, 'holder', attempt)
if turn > 1 and turn > currentTurn() then redis.call('SET', current, turn) end
return {'go', lane, known[5], tonumber(known[6])}`),

  save: script(`
if redis.call('HGET', entryOf(ARGV[2]), 'holder') ~= ARGV[3] then return 0 end
redis.call('HSET', entryOf(ARGV[2]), 'payload', ARGV[4])
return 1`),

  /** Frees an unfinished entry's slot and returns the entry that gets it. `yields` gives the freed one a later turn. */
  release: script(`
local id, attempt, yields = ARGV[2], ARGV[3], ARGV[4]
local known = redis.call('HMGET', entryOf(id), 'holder', 'lane', 'fairBy', 'turn')
if known[1] ~= attempt then return {0, '', 0} end
local turn = tonumber(known[4])
if yields == '1' then turn = math.min(math.max(currentTurn() + 1, turn), ${LAST_TURN}) end
redis.call('HSET', entryOf(id), 'holder', '', 'turn', turn, unpack(ARGV[5] and {'payload', ARGV[5]} or {}))
redis.call('ZADD', fairOf(known[3]), turn, id)
redis.call('ZADD', laneOf(known[2]), -1, id)
return {1, handOver(known[2]), turn}`),

  settle: script(`
local id, attempt, now = ARGV[2], ARGV[3], ARGV[4]
local known = redis.call('HMGET', entryOf(id), 'holder', 'lane', 'fairBy')
if known[1] ~= attempt then return {0, '', 0} end
redis.call('ZADD', ids, '-' .. now, id)
finish(id, known[2], known[3])
return {1, handOver(known[2]), 0}`),

  /** Ends an entry that no worker holds. If no time is given, its id is forgotten as well. */
  cancel: script(`
local id, now = ARGV[2], ARGV[3]
local known = redis.call('HMGET', entryOf(id), 'holder', 'lane', 'fairBy')
if known[1] ~= '' then return {0, '', 0} end
if now then redis.call('ZADD', ids, '-' .. now, id) else redis.call('ZREM', ids, id) end
local hadPlace = isPlaced(id, known[2])
finish(id, known[2], known[3])
return {1, hadPlace and handOver(known[2]) or '', 0}`),

  /** Forgets finished ids: those that ended before a given time, and the oldest beyond a given number. */
  trim: script(`
local before, marks = ARGV[2], tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', ids, '-' .. before, '(0')
local count = redis.call('ZCOUNT', ids, '-inf', '(0')
if count > marks then redis.call('ZREMRANGEBYRANK', ids, marks, count - 1) end`),
};

const PLANNED = z
  .tuple([z.enum(['known', 'kept', 'fairBy', 'queue', 'accepted']), z.number(), z.number(), z.number()])
  .transform(([outcome, count, turn, isPlaced]) => ({ outcome, count, turn, isPlaced: isPlaced === 1 }));
const ENTERED = z
  .tuple([z.enum(['go', 'wait', 'lost', 'gone']), z.string(), z.string(), z.number()])
  .transform(([outcome, lane, payload, addedAt]) => ({ outcome, lane, payload, addedAt }));
/** A script's answer: whether the change was made, the id of the entry that got the freed slot, and the turn. */
const LEFT = z
  .tuple([z.number(), z.string(), z.number()])
  .transform(([ok, next, turn]) => ({ ok: ok === 1, next: next === '' ? undefined : next, turn }));

const Unclaimed = z
  .tuple([z.literal(''), z.string(), z.string(), z.string(), z.string(), z.coerce.number(), z.coerce.number()])
  .transform(([, lane, fairBy, owner, payload, atOnce, turn]) => ({ lane, fairBy, owner, payload, atOnce, turn }));

/** An entry that no worker holds, with its turn. */
export type UnclaimedEntry = Required<Omit<QueueEntry, 'delayMs'>> & { readonly turn: number };

const PAGE = 500;

export type RedisEntries = ReturnType<typeof createRedisEntries>;

/** The queue's entries in Redis. @param own the prefix of the entries' keys */
export function createRedisEntries(client: Redis, own: string) {
  const all = `${own}ids`;

  async function readUnclaimed(ids: readonly string[]): Promise<readonly UnclaimedEntry[]> {
    const fields = ['holder', 'lane', 'fairBy', 'owner', 'payload', 'atOnce', 'turn'];
    const found = await Promise.all(ids.map(id => client.hmget(`${own}entry:${id}`, ...fields)));
    return found.flatMap((values, index) => {
      const entry = Unclaimed.safeParse(values).data;
      return entry === undefined ? [] : { id: ids[index] ?? '', ...entry };
    });
  }

  return {
    async plan(entry: Required<QueueEntry>, limits: Pick<QueueLimits, 'entries' | 'entriesPerFairBy'>) {
      const { id, lane, fairBy, owner, payload, atOnce, delayMs } = entry;
      const isDelayed = delayMs > 0 ? 1 : 0;
      const given = [id, lane, fairBy, owner, payload, atOnce, Date.now(), isDelayed];
      return PLANNED.parse(await RUN.plan(client, own, ...given, limits.entries, limits.entriesPerFairBy));
    },
    enter: async (id: string, attempt: number) => ENTERED.parse(await RUN.enter(client, own, id, attempt)),
    save: async (id: string, attempt: number, payload: string) =>
      (await RUN.save(client, own, id, attempt, payload)) === 1,
    async release(id: string, attempt: number, { payload, yields }: { payload: string | undefined; yields: boolean }) {
      const changed = payload === undefined ? [] : [payload];
      return LEFT.parse(await RUN.release(client, own, id, attempt, yields ? 1 : 0, ...changed));
    },
    settle: async (id: string, attempt: number) => LEFT.parse(await RUN.settle(client, own, id, attempt, Date.now())),
    async cancel(id: string, becomes: 'known' | 'forgotten') {
      return LEFT.parse(await RUN.cancel(client, own, id, ...(becomes === 'known' ? [Date.now()] : [])));
    },
    /** True when the entry has a slot of its lane. */
    isPlaced: async (id: string, lane: string) => (await client.zscore(`${own}lane:${lane}`, id)) === '0',
    count: () => client.zcount(all, 0, '+inf'),
    /** Ids of the unfinished entries that were added before that time, oldest first. */
    addedBefore: (moment: number) => client.zrangebyscore(all, 0, moment, 'LIMIT', 0, PAGE),
    readUnclaimed,
    /** All entries that no worker holds, the next to be served first. */
    async unclaimed(): Promise<readonly UnclaimedEntry[]> {
      const entries: UnclaimedEntry[] = [];
      for (let start = 0; ; start += PAGE) {
        const ids = await client.zrangebyscore(all, 0, '+inf', 'LIMIT', start, PAGE);
        entries.push(...(await readUnclaimed(ids)));
        if (ids.length < PAGE) return entries.toSorted((a, b) => a.turn - b.turn);
      }
    },
    trimDone: (before: number, marks: number) => RUN.trim(client, own, before, marks),
    /**
     * Stores ids as finished.
     * @param marks each id with the time at which it was finished
     */
    async markDone(marks: readonly (readonly [id: string, at: number])[]): Promise<void> {
      if (marks.length > 0) await client.zadd(all, 'NX', ...marks.flatMap(([id, at]) => [-at, id]));
    },
  };
}

function script(body: string) {
  const lua = PRELUDE + body;
  const sha = createHash('sha1').update(lua).digest('hex');
  return async (client: Redis, ...args: readonly (string | number)[]): Promise<unknown> => {
    try {
      return await client.evalsha(sha, 0, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return client.eval(lua, 0, ...args);
    }
  };
}
