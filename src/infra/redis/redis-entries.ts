import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';
import * as z from 'zod';
import type { QueueEntry, QueueLimits } from '../queue/queue.ts';

/**
 * The queue's entries, in keys of our own beside those of BullMQ, which knows no more of an entry than its id, its turn and its timer.
 *
 * `entry:ID` is the entry itself, with the last attempt that entered and the one that holds it (`holder`, or nothing). `unfinished` has
 * all entries by the moment they were added, `fair:` those of one `fairBy` by turn, `lane:` those of one lane. `run:` are the entries that have a place
 * in a lane, `parked:` those that wait for one, by turn. `turn` is the turn that is being taken, `done` has the bare ids of what is over.
 *
 * A worker writes under the number of its attempt (`attemptsStarted`), which rises with each claim of BullMQ: once another worker has
 * entered, nothing that an earlier one writes counts.
 */
const PRELUDE = `
local own = ARGV[1]
local all, done, current = own .. 'unfinished', own .. 'done', own .. 'turn'
local function entryOf(id) return own .. 'entry:' .. id end
local function runOf(lane) return own .. 'run:' .. lane end
local function parkedOf(lane) return own .. 'parked:' .. lane end
local function currentTurn() return tonumber(redis.call('GET', current) or '1') end
local function isHeld(id, attempt) return redis.call('HGET', entryOf(id), 'holder') == attempt end
local function place(id, lane, turn, atOnce)
  local run, parked = runOf(lane), parkedOf(lane)
  if redis.call('SCARD', run) < atOnce and redis.call('ZCOUNT', parked, '-inf', '(' .. turn) == 0 then
    redis.call('SADD', run, id)
    return 1
  end
  redis.call('ZADD', parked, turn, id)
  return 0
end
local function handOver(id, lane)
  if redis.call('SREM', runOf(lane), id) == 0 then return '' end
  local next = redis.call('ZPOPMIN', parkedOf(lane))[1]
  if not next then return '' end
  redis.call('SADD', runOf(lane), next)
  return next
end
local function finish(id, lane, fairBy)
  redis.call('DEL', entryOf(id))
  redis.call('ZREM', all, id)
  redis.call('ZREM', own .. 'fair:' .. fairBy, id)
  redis.call('SREM', own .. 'lane:' .. lane, id)
  redis.call('ZREM', parkedOf(lane), id)
  return handOver(id, lane)
end
`;

/** BullMQ's largest priority. */
const LAST_TURN = 2_097_152;

const RUN = {
  /** Keeps an entry, unless it is known or a bound is reached, and gives it its turn. One that need not wait gets a place, or is parked. */
  plan: script(`
local id, lane, fairBy, atOnce, now = ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[7]), ARGV[8]
local known = redis.call('HGET', entryOf(id), 'turn')
if known then return {'kept', 0, tonumber(known), redis.call('SISMEMBER', runOf(lane), id)} end
if redis.call('ZSCORE', done, id) then return {'known', 0, 0, 0} end
local ofLane, ofFairBy = own .. 'lane:' .. lane, own .. 'fair:' .. fairBy
local count = redis.call('ZCARD', ofFairBy)
if count >= tonumber(ARGV[11]) then return {'fairBy', count, 0, 0} end
local total = redis.call('ZCARD', all)
if total >= tonumber(ARGV[10]) then return {'queue', total, 0, 0} end
if total == 0 then redis.call('DEL', current) end
local turn = total == 0 and 1 or currentTurn()
local last = redis.call('ZRANGE', ofFairBy, -1, -1, 'WITHSCORES')[2]
if last then turn = math.max(turn, tonumber(last) + 1) end
turn = math.min(turn, ${LAST_TURN})
local ahead = redis.call('SCARD', ofLane)
redis.call('HSET', entryOf(id), 'lane', lane, 'fairBy', fairBy, 'owner', ARGV[5], 'payload', ARGV[6], 'atOnce', atOnce,
  'addedAt', now, 'turn', turn, 'attempt', 0, 'holder', '')
redis.call('SADD', ofLane, id)
redis.call('ZADD', ofFairBy, turn, id)
redis.call('ZADD', all, now, id)
return {'accepted', ahead, turn, ARGV[9] == '1' and 0 or place(id, lane, turn, atOnce)}`),

  /** Lets a worker hold the entry when it has a place in its lane, or there is one; else the entry is parked. */
  enter: script(`
local id, attempt = ARGV[2], ARGV[3]
local known = redis.call('HMGET', entryOf(id), 'attempt', 'lane', 'turn', 'atOnce', 'payload', 'addedAt')
local lane, turn = known[2], tonumber(known[3])
if not lane then return {'gone', '', '', 0} end
if tonumber(known[1]) >= tonumber(attempt) then return {'lost', lane, '', 0} end
if redis.call('SISMEMBER', runOf(lane), id) == 0 and place(id, lane, turn, tonumber(known[4])) == 0 then
  return {'wait', lane, '', 0}
end
redis.call('HSET', entryOf(id), 'attempt', attempt, 'holder', attempt)
if turn > currentTurn() then redis.call('SET', current, turn) end
redis.call('ZREM', parkedOf(lane), id)
return {'go', lane, known[5], tonumber(known[6])}`),

  save: script(`
if not isHeld(ARGV[2], ARGV[3]) then return 0 end
redis.call('HSET', entryOf(ARGV[2]), 'payload', ARGV[4])
return 1`),

  /** Frees the place in the lane and says who gets it. An entry that yields gets a turn behind all that wait now. */
  release: script(`
local id, attempt, yields = ARGV[2], ARGV[3], ARGV[4]
if not isHeld(id, attempt) then return {0, '', 0} end
local known = redis.call('HMGET', entryOf(id), 'lane', 'fairBy', 'turn')
local turn = tonumber(known[3])
if yields == '1' then turn = math.min(math.max(currentTurn() + 1, turn), ${LAST_TURN}) end
redis.call('HSET', entryOf(id), 'holder', '', 'turn', turn)
redis.call('ZADD', own .. 'fair:' .. known[2], turn, id)
if ARGV[5] then redis.call('HSET', entryOf(id), 'payload', ARGV[5]) end
return {1, handOver(id, known[1]), turn}`),

  settle: script(`
local id, attempt, now = ARGV[2], ARGV[3], ARGV[4]
if not isHeld(id, attempt) then return {0, '', 0} end
local known = redis.call('HMGET', entryOf(id), 'lane', 'fairBy')
redis.call('ZADD', done, now, id)
return {1, finish(id, known[1], known[2]), 0}`),

  /** Ends an entry that no worker holds. Without a moment its id is forgotten. */
  cancel: script(`
local id, now = ARGV[2], ARGV[3]
local known = redis.call('HMGET', entryOf(id), 'holder', 'lane', 'fairBy')
if known[1] ~= '' then return {0, '', 0} end
if now then redis.call('ZADD', done, now, id) end
return {1, finish(id, known[2], known[3]), 0}`),
};

const PLANNED = z
  .tuple([z.enum(['known', 'kept', 'fairBy', 'queue', 'accepted']), z.number(), z.number(), z.number()])
  .transform(([outcome, count, turn, isPlaced]) => ({ outcome, count, turn, isPlaced: isPlaced === 1 }));
const ENTERED = z
  .tuple([z.enum(['go', 'wait', 'lost', 'gone']), z.string(), z.string(), z.number()])
  .transform(([outcome, lane, payload, addedAt]) => ({ outcome, lane, payload, addedAt }));
/** True when it was done, the entry that has got the place in the lane, and the turn. */
const LEFT = z
  .tuple([z.number(), z.string(), z.number()])
  .transform(([ok, next, turn]) => ({ ok: ok === 1, next: next === '' ? undefined : next, turn }));

const Unclaimed = z
  .tuple([z.literal(''), z.string(), z.string(), z.string(), z.string(), z.coerce.number(), z.coerce.number()])
  .transform(([, lane, fairBy, owner, payload, atOnce, turn]) => ({ lane, fairBy, owner, payload, atOnce, turn }));

/** An entry in no worker's hands, with its turn. */
export type UnclaimedEntry = Required<Omit<QueueEntry, 'delayMs'>> & { readonly turn: number };

const PAGE = 500;

export type RedisEntries = ReturnType<typeof createRedisEntries>;

/** @param own what the keys of the entries begin with */
export function createRedisEntries(client: Redis, own: string) {
  const [all, done] = [`${own}unfinished`, `${own}done`];

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
    /** True when it has a place in its lane. */
    isPlaced: async (id: string, lane: string) => (await client.sismember(`${own}run:${lane}`, id)) === 1,
    count: () => client.zcard(all),
    /** Ids of the unfinished entries that were added before a moment, oldest first. */
    addedBefore: (moment: number) => client.zrangebyscore(all, '-inf', moment, 'LIMIT', 0, PAGE),
    readUnclaimed,
    /** The next in line first. */
    async unclaimed(): Promise<readonly UnclaimedEntry[]> {
      const entries: UnclaimedEntry[] = [];
      for (let start = 0; ; start += PAGE) {
        const ids = await client.zrange(all, start, start + PAGE - 1);
        entries.push(...(await readUnclaimed(ids)));
        if (ids.length < PAGE) return entries.toSorted((a, b) => a.turn - b.turn);
      }
    },
    /** Forgets the ids that were marked before a moment, and the oldest beyond `marks`. */
    async trimDone(before: number, marks: number): Promise<void> {
      await client.zremrangebyscore(done, '-inf', before);
      await client.zremrangebyrank(done, 0, -marks - 1);
    },
    /** Knows ids of what is over. @param marks each with its moment */
    async markDone(marks: readonly (readonly [id: string, at: number])[]): Promise<void> {
      if (marks.length > 0) await client.zadd(done, ...marks.flatMap(([id, at]) => [at, id]));
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
