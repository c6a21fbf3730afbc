/**
 * What the relay asks of Redis, as one library of functions: each write of the live market is one of them, and Redis runs
 * one at a time. `LIBRARY` stands for its name, which is made of its text, so that two versions can run side by side.
 * KEYS[1] is the prefix of all keys; other keys are made from it, for which Redis Cluster would have to be told of each:
 * it is not supported. Times are Unix milliseconds, given by the caller. Every key has a time to live or a bound.
 */
export const LIBRARY_SOURCE = `#!lua name=LIBRARY

local FEED_LENGTH = 10000
local EPOCH_SIZE = 1000000000
-- How long what belongs to a request may outlive it, when nobody is left to close it.
local ABANDONED_MS = 3600000
-- How long a closed request is remembered (ruling Q8), and a little more: the reader judges by its own clock.
local TOMBSTONE_MS = 16 * 60000
local PRESENCE_MS = 120000
local OUTCOME_MS = 5000

-- While the library loads there is no redis.call yet.
local function call(...) return redis.call(...) end

local function keysOf(prefix, requestId)
  return {
    request = prefix .. 'request:' .. requestId,
    quotes = prefix .. 'quotes:' .. requestId,
    rank = prefix .. 'rank:' .. requestId,
    quoted = prefix .. 'quoted:' .. requestId,
    missed = prefix .. 'missed:' .. requestId,
  }
end

local function hasEpoch(prefix)
  local epoch, offset = unpack(call('HMGET', prefix .. 'feed', 'epoch', 'offset'))
  return epoch and tonumber(offset) < EPOCH_SIZE - 1
end

local function noEpoch() return redis.error_reply('EPOCH the market is empty') end

local function announce(prefix, kind, content)
  local epoch = call('HGET', prefix .. 'feed', 'epoch')
  local offset = call('HINCRBY', prefix .. 'feed', 'offset', 1)
  call('XADD', prefix .. 'events', 'MAXLEN', '~', FEED_LENGTH, epoch .. '-' .. offset, kind, content)
  return string.format('%.0f', tonumber(epoch) * EPOCH_SIZE + offset)
end

-- Text that sorts as compareQuotes of the domain does; the maker comes last, so that it can be read off.
local function rankOf(side, quote)
  local price = tonumber(quote.price)
  if side == 'sell' then price = 9999999 - price end
  return string.format('%06d:%07d:%015.0f:%s:', tonumber(quote.misses), price, tonumber(quote.pricedAt), quote.quoteId) .. quote.makerId
end

local function topOf(prefix, requestId, now)
  local key = keysOf(prefix, requestId)
  local status, seq, holder, wallet = unpack(call('HMGET', key.request, 'status', 'seq', 'holder', 'wallet'))
  if not status then return false end
  local best = ''
  local first = 0
  while best == '' do
    local ranks = call('ZRANGE', key.rank, first, first + 9)
    if #ranks == 0 then break end
    for _, rank in ipairs(ranks) do
      local text = call('HGET', key.quotes, string.match(rank, '^%d+:%d+:%d+:[^:]*:(.*)$'))
      local quote = text and cjson.decode(text)
      if quote and tonumber(quote.expiresAt) > now and quote.maker ~= wallet then
        best = text
        break
      end
    end
    first = first + 10
  end
  return { status, seq, holder or '', tostring(call('ZCARD', key.rank)), best }
end

local function changed(prefix, requestId, now)
  call('HINCRBY', prefix .. 'request:' .. requestId, 'seq', 1)
  call('PUBLISH', prefix .. 'top:' .. requestId, cjson.encode(topOf(prefix, requestId, now)))
end

local function store(key, quote, ttl)
  local text = cjson.encode(quote)
  call('HSET', key.quotes, quote.makerId, text)
  call('ZADD', key.rank, 0, quote.rank)
  if call('HLEN', key.quotes) == 1 then
    call('PEXPIRE', key.quotes, ttl)
    call('PEXPIRE', key.rank, ttl)
  end
  return text
end

local function take(prefix, requestId, quote, now)
  local key = keysOf(prefix, requestId)
  call('HDEL', key.quotes, quote.makerId)
  call('ZREM', key.rank, quote.rank)
  changed(prefix, requestId, now)
end

-- The quote of an id, if it is in the book of this request.
local function find(prefix, requestId, quoteId)
  local place = call('HMGET', prefix .. 'place:' .. quoteId, 'request', 'maker')
  if place[1] ~= requestId then return nil end
  local text = call('HGET', prefix .. 'quotes:' .. requestId, place[2])
  return text and cjson.decode(text), text
end

local function isHeld(prefix, requestId, quoteId)
  return call('HGET', prefix .. 'request:' .. requestId, 'held') == quoteId
end

local function letGo(prefix, requestId)
  call('HDEL', prefix .. 'request:' .. requestId, 'holder', 'held')
  call('ZREM', prefix .. 'held', requestId)
end

local function begin(keys, args)
  local feed = keys[1] .. 'feed'
  local epoch = tonumber(call('HGET', feed, 'epoch') or 0)
  if tonumber(args[1]) <= epoch then return 0 end
  call('HSET', feed, 'epoch', args[1], 'offset', 0)
  if epoch == 0 then call('HDEL', feed, 'filled', 'filler_until') end
  return 1
end

-- Says whether the market holds all open requests, and gives the work of putting them there to one caller at a time.
local function claim(keys, args)
  local feed, now, lease = keys[1] .. 'feed', tonumber(args[1]), tonumber(args[2])
  local epoch, filled, untilAt = unpack(call('HMGET', feed, 'epoch', 'filled', 'filler_until'))
  if not hasEpoch(keys[1]) then return { 'empty', epoch or '' } end
  if filled then return { 'ready', epoch } end
  if untilAt and tonumber(untilAt) > now then return { 'filling', epoch } end
  call('HSET', feed, 'filler_until', now + lease)
  return { 'yours', epoch }
end

local function filled(keys, args)
  if call('HGET', keys[1] .. 'feed', 'epoch') == args[1] then call('HSET', keys[1] .. 'feed', 'filled', 1) end
end

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

local function put(keys, args)
  local prefix = keys[1]
  local quote, now = cjson.decode(args[1]), tonumber(args[2])
  local requestId, makerId = quote.requestId, quote.makerId
  local key = keysOf(prefix, requestId)
  local status, holder, side, id, expiresAt = unpack(call('HMGET', key.request, 'status', 'holder', 'side', 'id', 'expiresAt'))
  if not status then return { 'absent' } end
  if status ~= 'open' then return { 'closed' } end
  if holder == makerId then return { 'locked' } end
  local ttl = math.max(tonumber(expiresAt) - now, 0) + ABANDONED_MS
  local known = call('HGET', key.quoted, makerId)
  local former = call('HGET', key.quotes, makerId)
  quote.quoteId = known or quote.quoteId
  quote.misses = call('HGET', key.missed, makerId) or '0'
  if former then
    former = cjson.decode(former)
    if former.price == quote.price then quote.pricedAt = former.pricedAt end
    call('ZREM', key.rank, former.rank)
  end
  if not known then
    call('HSET', key.quoted, makerId, quote.quoteId)
    call('PEXPIRE', key.quoted, ttl)
    call('HSET', prefix .. 'place:' .. quote.quoteId, 'request', requestId, 'maker', makerId)
    call('PEXPIRE', prefix .. 'place:' .. quote.quoteId, ttl)
    call('ZADD', prefix .. 'maker:' .. makerId, id, requestId)
    call('PEXPIRE', prefix .. 'maker:' .. makerId, ttl)
  end
  quote.rank = rankOf(side, quote)
  local text = store(key, quote, ttl)
  changed(prefix, requestId, now)
  return { 'stored', text }
end

local function remove(keys, args)
  local requestId, quoteId, now = args[1], args[2], tonumber(args[3])
  local quote = find(keys[1], requestId, quoteId)
  if not quote then return 'absent' end
  if isHeld(keys[1], requestId, quoteId) then return 'locked' end
  take(keys[1], requestId, quote, now)
  return 'removed'
end

local function expire(keys, args)
  local requestId, quoteId, now = args[1], args[2], tonumber(args[3])
  local quote = find(keys[1], requestId, quoteId)
  if not quote or tonumber(quote.expiresAt) > now then return 0 end
  take(keys[1], requestId, quote, now)
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
  call('DEL', key.quotes, key.rank, key.quoted, key.missed)
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

-- How many connections of a maker a node has; none takes it off. Nodes that were not heard of for long do not count.
local function present(keys, args)
  local prefix, channel, makerId, node = keys[1], args[1], args[2], args[3]
  local count, now, expiry = tonumber(args[4]), tonumber(args[5]), tonumber(args[6])
  local makers, nodes = prefix .. 'makers:' .. channel, prefix .. 'nodes:' .. channel .. ':' .. makerId
  if count > 0 then call('HSET', nodes, node, expiry .. ' ' .. count) else call('HDEL', nodes, node) end
  local latest = 0
  local all = call('HGETALL', nodes)
  for i = 1, #all, 2 do
    local expiresAt = tonumber(string.match(all[i + 1], '^%d+'))
    if expiresAt <= now then call('HDEL', nodes, all[i]) end
    latest = math.max(latest, expiresAt)
  end
  if latest > now then
    call('ZADD', makers, latest, makerId)
    call('PEXPIRE', nodes, PRESENCE_MS)
  else
    call('ZREM', makers, makerId)
  end
  call('ZREMRANGEBYSCORE', makers, '-inf', now)
  call('PEXPIRE', makers, PRESENCE_MS)
end

local function whoIsPresent(keys, args)
  local now = tonumber(args[1])
  local found = {}
  for _, channel in ipairs({ 'stream', 'socket' }) do
    for _, makerId in ipairs(call('ZRANGEBYSCORE', keys[1] .. 'makers:' .. channel, '(' .. now, '+inf')) do
      local count = 0
      for _, text in ipairs(call('HVALS', keys[1] .. 'nodes:' .. channel .. ':' .. makerId)) do
        local expiresAt, ofNode = string.match(text, '^(%d+) (%d+)$')
        if tonumber(expiresAt) > now then count = count + tonumber(ofNode) end
      end
      for _, item in ipairs({ channel, makerId, tostring(count) }) do table.insert(found, item) end
    end
  end
  return found
end

-- Starts a commit unless another one runs; says whose it is and, to who follows it, how it has ended.
local function attempt(keys, args)
  local key = keys[1] .. 'attempt:' .. args[1]
  local owner, terms, outcome = unpack(call('HMGET', key, 'owner', 'terms', 'outcome'))
  if owner and not outcome then return { 'running', owner, terms } end
  if owner and owner == args[5] then return { 'ended', owner, terms, outcome } end
  call('DEL', key)
  call('HSET', key, 'owner', args[2], 'terms', args[3])
  call('PEXPIRE', key, args[4])
  return { 'begun', args[2], args[3] }
end

local function renew(keys, args)
  local key = keys[1] .. 'attempt:' .. args[1]
  if call('HGET', key, 'owner') ~= args[2] then return 0 end
  return call('PEXPIRE', key, args[3])
end

local function isRunning(keys, args)
  local owner, outcome = unpack(call('HMGET', keys[1] .. 'attempt:' .. args[1], 'owner', 'outcome'))
  return (owner and not outcome) and 1 or 0
end

local function conclude(keys, args)
  local key = keys[1] .. 'attempt:' .. args[1]
  if call('HGET', key, 'owner') ~= args[2] then return 0 end
  call('HSET', key, 'outcome', args[3])
  return call('PEXPIRE', key, OUTCOME_MS)
end

redis.register_function('LIBRARY_begin', begin)
redis.register_function('LIBRARY_claim', claim)
redis.register_function('LIBRARY_filled', filled)
redis.register_function('LIBRARY_open', open)
redis.register_function('LIBRARY_put', put)
redis.register_function('LIBRARY_remove', remove)
redis.register_function('LIBRARY_expire', expire)
redis.register_function('LIBRARY_lock', lock)
redis.register_function('LIBRARY_unlock', unlock)
redis.register_function('LIBRARY_close', close)
redis.register_function('LIBRARY_look', look)
redis.register_function('LIBRARY_stale', stale)
redis.register_function('LIBRARY_present', present)
redis.register_function('LIBRARY_who_is_present', whoIsPresent)
redis.register_function('LIBRARY_attempt', attempt)
redis.register_function('LIBRARY_renew', renew)
redis.register_function('LIBRARY_conclude', conclude)
redis.register_function('LIBRARY_is_running', isRunning)
`
