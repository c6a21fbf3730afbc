/** Requests as they open, are held for a signature, and close; what a node that died left behind. */
export const MARKET = `
-- How long a closed request is remembered (ruling Q8), and a little more: the reader judges by its own clock.
local TOMBSTONE_MS = 16 * 60000

local function open(keys, args)
  local prefix = keys[1]
  local requestId, body, expiresAt, now, wallet, side = unpack(args)
  local key = keysOf(prefix, requestId)
  if call('EXISTS', key.request) == 1 then return 0 end
  if not hasEpoch(prefix) then return noEpoch() end
  local id = announce(prefix, 'opened', body)
  call('HSET', key.request, 'body', body, 'status', 'open', 'id', id, 'seq', 0, 'expiresAt', expiresAt, 'wallet', wallet, 'side', side)
  call('PEXPIRE', key.request, math.max(expiresAt - now, 0) + ABANDONED_MS)
  call('ZADD', prefix .. 'open', id, requestId)
  call('ZADD', prefix .. 'due', expiresAt, requestId)
  return 1
end

local function lock(keys, args)
  local prefix, requestId, quoteId, now = keys[1], args[1], args[2], args[3]
  local request = prefix .. 'request:' .. requestId
  local quote, text = find(prefix, requestId, quoteId)
  if not quote or call('HEXISTS', request, 'held') == 1 then return false end
  call('HSET', request, 'holder', quote.makerId, 'held', quoteId)
  call('ZADD', prefix .. 'held', now, requestId)
  return text
end

local function unlock(keys, args)
  local prefix, requestId, quoteId, result, now = keys[1], args[1], args[2], args[3], tonumber(args[4])
  local key = keysOf(prefix, requestId)
  local holder, held, side, expiresAt = unpack(call('HMGET', key.request, 'holder', 'held', 'side', 'expiresAt'))
  if held ~= quoteId then return 0 end
  letGo(prefix, requestId)
  local ttl = math.max(tonumber(expiresAt) - now, 0) + ABANDONED_MS
  if result == 'missed' then
    call('HINCRBY', key.missed, holder, 1)
    call('PEXPIRE', key.missed, ttl)
  end
  local text = call('HGET', key.quotes, holder)
  if not text then return 1 end
  local quote = cjson.decode(text)
  if tonumber(quote.expiresAt) <= now then
    take(prefix, requestId, quote, now)
  elseif result == 'missed' then
    call('ZREM', key.rank, quote.rank)
    quote.misses = call('HGET', key.missed, holder)
    quote.rank = rankOf(side, quote)
    store(key, quote, ttl)
    changed(prefix, requestId, now)
  end
  return 1
end

local function close(keys, args)
  local prefix, requestId, status, now = keys[1], args[1], args[2], tonumber(args[3])
  local key = keysOf(prefix, requestId)
  local former, held = unpack(call('HMGET', key.request, 'status', 'held'))
  if former ~= 'open' then return { 'absent' } end
  if held and status ~= 'committed' then return { 'locked' } end
  if not hasEpoch(prefix) then return noEpoch() end
  local quotedBy = call('HGETALL', key.quoted)
  for i = 1, #quotedBy, 2 do
    call('ZREM', prefix .. 'maker:' .. quotedBy[i], requestId)
    call('DEL', prefix .. 'place:' .. quotedBy[i + 1])
  end
  call('DEL', key.quotes, key.rank, key.missed)
  -- Who quoted is owed an answer: should this node die before it is told, another one reads it here.
  call('PEXPIRE', key.quoted, TOMBSTONE_MS)
  letGo(prefix, requestId)
  call('ZREM', prefix .. 'open', requestId)
  call('ZREM', prefix .. 'due', requestId)
  call('HSET', key.request, 'status', status, 'closedAt', now)
  call('PEXPIRE', key.request, TOMBSTONE_MS)
  announce(prefix, 'closed', requestId)
  changed(prefix, requestId, now)
  table.insert(quotedBy, 1, 'closed')
  return quotedBy
end

-- The request with its top, in one look.
local function look(keys, args)
  local body, closedAt = unpack(call('HMGET', keys[1] .. 'request:' .. args[1], 'body', 'closedAt'))
  if not body then return false end
  return { body, closedAt or '', cjson.encode(topOf(keys[1], args[1], tonumber(args[2]))) }
end

-- Open requests whose time has come, and those with a quote that is held for long; one that is gone is forgotten.
local function stale(keys, args)
  local prefix = keys[1]
  local due = call('ZRANGEBYSCORE', prefix .. 'due', '-inf', args[1], 'LIMIT', 0, 100)
  local held = call('ZRANGEBYSCORE', prefix .. 'held', '-inf', args[2], 'LIMIT', 0, 100)
  local found = {}
  for _, requestId in ipairs(due) do table.insert(found, requestId) end
  for _, requestId in ipairs(held) do table.insert(found, requestId) end
  for _, requestId in ipairs(found) do
    if call('EXISTS', prefix .. 'request:' .. requestId) == 0 then
      for _, set in ipairs({ 'due', 'held', 'open' }) do call('ZREM', prefix .. set, requestId) end
    end
  end
  return found
end

redis.register_function('LIBRARY_open', open)
redis.register_function('LIBRARY_lock', lock)
redis.register_function('LIBRARY_unlock', unlock)
redis.register_function('LIBRARY_close', close)
redis.register_function('LIBRARY_look', look)
redis.register_function('LIBRARY_stale', stale)
`
