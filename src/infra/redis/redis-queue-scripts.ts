import { createHash } from 'node:crypto';
import type { Redis } from 'ioredis';

/**
 * The queue's entries in Redis. Each change is one script, so that a process killed at any moment leaves them whole,
 * and times are those of Redis. A full Redis refuses a script only at its first write, and only if that write needs
 * memory: scripts that renew or end a claim begin with a removal. An entry's turn is the number, from 1, of the round
 * in which it is served; each account (`fairBy`) has one entry a round.
 * - `entry:ID` is the entry, with the token of the claim that holds it (`holder`).
 * - `ids` sorts unfinished entries by the time they were added, finished ones by minus the time they ended.
 * - `fair:FAIR_BY` sorts the entries of one `fairBy` by turn.
 * - `lane:LANE` has a score for each entry: 0 if it has a slot, -1 if it is delayed, its turn if it waits for a slot.
 * - `ready` sorts the entries that can be claimed by turn, `due` the delayed ones by the end of the delay, and `leases`
 * the claimed ones by the end of the lease. An entry is in one of the three, or it waits for a slot.
 * - `turn` is the turn that is being served.
 * - `wake` has a member when a worker should look for entries; workers wait until they can take it out.
 */
const ENTRY = `
local own = ARGV[1]
local function entryOf(id) return own .. 'entry:' .. id end
`;

const PRELUDE = `${ENTRY}
local ids, current, ready, due, leases, wake = own .. 'ids', own .. 'turn', own .. 'ready', own .. 'due', own .. 'leases', own .. 'wake'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local function fairOf(fairBy) return own .. 'fair:' .. fairBy end
local function laneOf(lane) return own .. 'lane:' .. lane end
local function currentTurn() return tonumber(redis.call('GET', current) or '1') end
local function waken() redis.call('ZADD', wake, 0, 'x') end
local function offer(id, turn)
  redis.call('ZADD', ready, string.format('%.17g', turn + now / 2 ^ 42), id)
  waken()
end
local function delay(id, lane, ms)
  redis.call('ZADD', laneOf(lane), -1, id)
  redis.call('ZADD', due, now + ms, id)
  waken()
end
local function place(id, lane, turn, atOnce, isAlone)
  local key = laneOf(lane)
  local isFree = isAlone or redis.call('ZCOUNT', key, 0, 0) < tonumber(atOnce) and redis.call('ZCOUNT', key, 1, '(' .. turn) == 0
  redis.call('ZADD', key, isFree and 0 or turn, id)
  if isFree then offer(id, turn) end
end
local function handOver(lane)
  local next = redis.call('ZRANGE', laneOf(lane), 1, '+inf', 'BYSCORE', 'LIMIT', 0, 1, 'WITHSCORES')
  if not next[1] then return end
  redis.call('ZADD', laneOf(lane), 0, next[1])
  offer(next[1], tonumber(next[2]))
end
local function letGo(id)
  redis.call('ZREM', leases, id)
  redis.call('HSET', entryOf(id), 'holder', '')
  offer(id, tonumber(redis.call('HGET', entryOf(id), 'turn')))
end
local function callUp(id)
  if redis.call('ZREM', due, id) == 0 then return end
  local lane, turn, atOnce = unpack(redis.call('HMGET', entryOf(id), 'lane', 'turn', 'atOnce'))
  place(id, lane, tonumber(turn), atOnce)
end
local function finish(id, lane, fairBy)
  redis.call('DEL', entryOf(id))
  redis.call('ZREM', fairOf(fairBy), id)
  redis.call('ZREM', laneOf(lane), id)
end
local function add(id, lane, fairBy, owner, payload, atOnce, delayMs, most, mostOfOne)
  if redis.call('ZADD', ids, 'NX', now, id) == 0 then return {'known', 0} end
  local count, total = redis.call('ZCARD', fairOf(fairBy)), redis.call('ZCOUNT', ids, 0, '+inf') - 1
  local full = count >= tonumber(mostOfOne) and {'fairBy', count} or total >= tonumber(most) and {'queue', total}
  if full then
    redis.call('ZREM', ids, id)
    return full
  end
  if total == 0 then redis.call('DEL', current) end
  local turn = total == 0 and 1 or currentTurn()
  if count > 0 then turn = math.max(turn, tonumber(redis.call('ZRANGE', fairOf(fairBy), -1, -1, 'WITHSCORES')[2]) + 1) end
  redis.call('HSET', entryOf(id), 'lane', lane, 'fairBy', fairBy, 'owner', owner, 'payload', payload, 'atOnce', atOnce,
    'addedAt', now, 'turn', turn, 'lapses', 0, 'holder', '')
  redis.call('ZADD', fairOf(fairBy), turn, id)
  local ahead = count > 0 and redis.call('ZCARD', laneOf(lane)) or 0
  if tonumber(delayMs) > 0 then delay(id, lane, tonumber(delayMs)) else place(id, lane, turn, atOnce, ahead == 0) end
  return {'accepted', ahead}
end
`;

/** The most entries that one script or command looks at. */
export const QUEUE_BATCH = 500;

/** The scripts that change entries. Their first argument is the prefix of the entries' keys. */
export const QUEUE_SCRIPTS = {
  add: script('return add(unpack(ARGV, 2))'),

  /** Claims entries, and returns them with the time until the next delayed one is due. */
  claim: script(`
local most, token, leaseMs = tonumber(ARGV[2]), ARGV[3], tonumber(ARGV[4])
local delayed = redis.call('ZRANGE', due, 0, ${QUEUE_BATCH - 1}, 'WITHSCORES')
local nextDue = -1
for at = 1, #delayed, 2 do
  nextDue = math.max(0, tonumber(delayed[at + 1]) - now)
  if nextDue > 0 then break end
  callUp(delayed[at])
end
local found, claims, turn = redis.call('ZPOPMIN', ready, most), {}, 1
for at = 1, #found, 2 do
  local id = found[at]
  local lane, payload, addedAt, lapses, round = unpack(redis.call('HMGET', entryOf(id), 'lane', 'payload', 'addedAt', 'lapses', 'turn'))
  -- An entry that was deleted by hand must not keep the others of this claim from being returned.
  if round then
    redis.call('HSET', entryOf(id), 'holder', token)
    redis.call('ZADD', leases, now + leaseMs, id)
    turn = math.max(turn, tonumber(round))
    claims[#claims + 1] = {id, lane, payload, tonumber(addedAt), tonumber(lapses)}
  end
end
if turn > 1 and turn > currentTurn() then redis.call('SET', current, turn) end
if #found == 2 * most and redis.call('ZCARD', ready) > 0 then waken() end
return {nextDue, claims}`),

  /**
   * Renews leases. If the third argument is 1, ends all leases whose time is over. Returns which of the given ones are
   * lost.
   */
  renew: script(`
local lost = {}
for at = 4, #ARGV, 2 do
  local id, token = ARGV[at], ARGV[at + 1]
  if redis.call('HGET', entryOf(id), 'holder') == token then
    redis.call('ZREM', leases, id)
    redis.call('ZADD', leases, now + ARGV[2], id)
  else lost[#lost + 1] = (at - 4) / 2 end
end
if ARGV[3] ~= '1' then return lost end
for _, id in ipairs(redis.call('ZRANGE', leases, 0, now, 'BYSCORE', 'LIMIT', 0, ${QUEUE_BATCH})) do
  letGo(id)
  redis.call('HINCRBY', entryOf(id), 'lapses', 1)
end
return lost`),

  /** Puts a claimed entry back into the queue, at the place that it had before it was claimed. */
  putBack: script(`
if redis.call('HGET', entryOf(ARGV[2]), 'holder') ~= ARGV[3] then return 0 end
letGo(ARGV[2])
return 1`),

  save: script(
    `
if redis.call('HGET', entryOf(ARGV[2]), 'holder') ~= ARGV[3] then return 0 end
redis.call('HSET', entryOf(ARGV[2]), 'payload', ARGV[4])
return 1`,
    ENTRY,
  ),

  /** Returns a claimed entry to the queue. Without a delay it gets a turn behind all entries that wait now. */
  release: script(`
local id, afterMs = ARGV[2], tonumber(ARGV[4])
local holder, lane, fairBy, turn, atOnce = unpack(redis.call('HMGET', entryOf(id), 'holder', 'lane', 'fairBy', 'turn', 'atOnce'))
if holder ~= ARGV[3] then return 0 end
turn = tonumber(turn)
if afterMs <= 0 then turn = math.max(currentTurn() + 1, turn) end
redis.call('ZREM', leases, id)
redis.call('HSET', entryOf(id), 'holder', '', 'turn', turn, unpack(ARGV[5] and {'payload', ARGV[5]} or {}))
redis.call('ZADD', fairOf(fairBy), turn, id)
redis.call('ZREM', laneOf(lane), id)
handOver(lane)
if afterMs > 0 then delay(id, lane, afterMs) else place(id, lane, turn, atOnce) end
return 1`),

  settle: script(`
local id = ARGV[2]
local holder, lane, fairBy = unpack(redis.call('HMGET', entryOf(id), 'holder', 'lane', 'fairBy'))
if holder ~= ARGV[3] then return 0 end
redis.call('ZREM', leases, id)
redis.call('ZADD', ids, -now, id)
finish(id, lane, fairBy)
handOver(lane)
return 1`),

  /**
   * Ends an entry; if a worker holds it, only with the last argument `held`. If the argument before that is `known`,
   * the entry's id is kept, so that a repeat of the entry is recognised.
   */
  cancel: script(`
local id = ARGV[2]
local holder, lane, fairBy = unpack(redis.call('HMGET', entryOf(id), 'holder', 'lane', 'fairBy'))
if not holder or holder ~= '' and ARGV[4] ~= 'held' then return 0 end
local hadSlot = redis.call('ZSCORE', laneOf(lane), id) == '0'
redis.call('ZREM', ready, id)
redis.call('ZREM', due, id)
redis.call('ZREM', leases, id)
if ARGV[3] == 'known' then redis.call('ZADD', ids, -now, id) else redis.call('ZREM', ids, id) end
finish(id, lane, fairBy)
if hadSlot then handOver(lane) end
return 1`),

  promote: script('callUp(ARGV[2])'),

  /** Counts the entries that wait and those that run, and finds when the entry to be claimed next was added. */
  stats: script(`
local running = redis.call('ZCARD', leases)
local next = redis.call('ZRANGE', ready, 0, 0)[1]
local addedAt = next and tonumber(redis.call('HGET', entryOf(next), 'addedAt')) or 0
return {redis.call('ZCOUNT', ids, 0, '+inf') - running, running, addedAt}`),

  /** Forgets finished ids: those that ended too long ago, and the oldest beyond a given number. */
  trim: script(`
local markMs, marks = ARGV[2], tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', ids, markMs - now, '(0')
local count = redis.call('ZCOUNT', ids, '-inf', '(0')
if count > marks then redis.call('ZREMRANGEBYRANK', ids, marks, count - 1) end`),

  /**
   * Moves an entry from 0.2.0's queue, in which BullMQ kept it as a job with JSON, unless a worker of 0.2.0 runs it. An
   * entry whose shape is unknown stays.
   */
  adopt: script(`
local old, job, id = ARGV[2], ARGV[3], ARGV[4]
local data = redis.call('HGET', old .. job, 'data')
if not data or redis.call('EXISTS', old .. job .. ':lock') == 1 then return {'left', 0} end
local isRead, entry = pcall(cjson.decode, data)
if not isRead or type(entry) ~= 'table' or not (entry.chat and entry.owner and entry.payload and entry.atOnce) then return {'left', 0} end
local added = add(id, entry.chat, entry.fairBy or entry.chat, entry.owner, entry.payload, entry.atOnce, 0, ARGV[5], ARGV[6])
if added[1] == 'fairBy' or added[1] == 'queue' then return added end
for _, list in ipairs({'wait', 'active'}) do redis.call('LREM', old .. list, 0, job) end
for _, sorted in ipairs({'prioritized', 'delayed'}) do redis.call('ZREM', old .. sorted, job) end
redis.call('DEL', old .. job)
return added`),
};

function script(body: string, prelude = PRELUDE) {
  const lua = prelude + body;
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
