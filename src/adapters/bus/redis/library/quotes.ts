/** The quotes of a request: their order, the top that takers are shown, and what puts them in and takes them out. */
export const QUOTES = `
-- How long what belongs to a request may outlive it, when nobody is left to close it.
local ABANDONED_MS = 3600000

local function keysOf(prefix, requestId)
  return {
    request = prefix .. 'request:' .. requestId,
    quotes = prefix .. 'quotes:' .. requestId,
    rank = prefix .. 'rank:' .. requestId,
    quoted = prefix .. 'quoted:' .. requestId,
    missed = prefix .. 'missed:' .. requestId,
  }
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

redis.register_function('LIBRARY_put', put)
redis.register_function('LIBRARY_remove', remove)
redis.register_function('LIBRARY_expire', expire)
`
