-- The quotes of a request: their order, the top that takers are shown, and what puts them in and takes them out.

-- How long what belongs to a request may outlive it, when nobody is left to close it.
local ABANDONED_MS = 3600000

local function isDemoted(prefix, makerId, now)
  local untilAt = call('ZSCORE', prefix .. 'demoted', makerId)
  return untilAt and tonumber(untilAt) > now
end

local function ttlOf(expiresAt, now) return math.max(tonumber(expiresAt) - now, 0) + ABANDONED_MS end

-- The first of some rows that a taker may see; the empty text for none.
local function bestOf(rows, wallet, firmOnly, now)
  local first = 0
  while true do
    local some = call('ZRANGE', rows, first, first + 9)
    if #some == 0 then return '' end
    for _, row in ipairs(some) do
      local quote = bodyOf(row)
      if quote.expiresAt > now and quote.maker ~= wallet and (not firmOnly or isFirm(row)) then return row end
    end
    first = first + 10
  end
end

local function topOf(prefix, requestId, now)
  local rows = prefix .. 'ranked:' .. requestId
  local status, seq, holder, wallet, firmOnly, displaced, both =
    unpack(call('HMGET', prefix .. 'request:' .. requestId, 'status', 'seq', 'holder', 'wallet', 'firmOnly', 'displaced', 'both'))
  if not status then return false end
  local best = bestOf(rows, wallet, firmOnly, now)
  local top = { status, seq, holder or '', tostring(call('ZCARD', rows)), best, displaced or '' }
  if both then table.insert(top, bestOf(prefix .. 'bids:' .. requestId, wallet, firmOnly, now)) end
  return top
end

local function changed(prefix, requestId, now)
  call('HINCRBY', prefix .. 'request:' .. requestId, 'seq', 1)
  call('HSET', prefix .. 'request:' .. requestId, 'told', 1)
  call('PUBLISH', prefix .. 'top:' .. requestId, cjson.encode(topOf(prefix, requestId, now)))
end

-- In this order: a set that is empty for a moment loses its time to live.
local function replace(prefix, requestId, makerId, former, row)
  if row == former then return end
  local ranked = prefix .. 'ranked:' .. requestId
  local bids, bid, formerBid = prefix .. 'bids:' .. requestId, bidRow(row), former and bidRow(former)
  call('ZADD', ranked, 0, row)
  if former then call('ZREM', ranked, former) end
  if bid then call('ZADD', bids, 0, bid) end
  if formerBid and formerBid ~= bid then call('ZREM', bids, formerBid) end
  call('HSET', prefix .. 'rows:' .. requestId, makerId, row)
end

-- The signature of a firm quote is kept beside its row, so that readers of rows do not see it. The name `seals:` stays: nodes of
-- other versions share the key.
local function dropSignature(prefix, requestId, makerId) call('HDEL', prefix .. 'seals:' .. requestId, makerId) end

-- How many quotes a request has, and all together: by what is there, so that no version before this one leaves it wrong for long.
local function count(prefix, requestId)
  local counts, quotes = prefix .. 'counts', call('ZCARD', prefix .. 'ranked:' .. requestId)
  local change = quotes - tonumber(call('ZSCORE', counts, requestId) or 0)
  if change == 0 then return end
  if quotes == 0 then call('ZREM', counts, requestId) else call('ZADD', counts, quotes, requestId) end
  call('INCRBY', prefix .. 'quotes', change)
end

local function take(prefix, requestId, makerId, row, now)
  if isFirm(row) then dropSignature(prefix, requestId, makerId) end
  call('HDEL', prefix .. 'rows:' .. requestId, makerId)
  call('ZREM', prefix .. 'ranked:' .. requestId, row)
  local bid = bidRow(row)
  if bid then call('ZREM', prefix .. 'bids:' .. requestId, bid) end
  count(prefix, requestId)
  changed(prefix, requestId, now)
end

-- The row of a quote that is in the book of this request, and its maker.
local function find(prefix, requestId, quoteId)
  local place = call('HMGET', prefix .. 'place:' .. quoteId, 'request', 'maker')
  if place[1] ~= requestId then return false end
  return call('HGET', prefix .. 'rows:' .. requestId, place[2]), place[2]
end

local function isHeld(prefix, requestId, quoteId)
  return call('HGET', prefix .. 'request:' .. requestId, 'held') == quoteId
end

local function letGo(prefix, requestId)
  call('HDEL', prefix .. 'request:' .. requestId, 'holder', 'held', 'heldAt')
  call('ZREM', prefix .. 'held', requestId)
end

-- Moves the quotes of a maker to where its misses over all requests put them: in its newest requests, since nothing else runs
-- meanwhile. The others last five minutes at most, and a commit waits a little for each such maker.
local MOST_RERANKED = 1000

local function rerank(prefix, makerId, now)
  local demoted = isDemoted(prefix, makerId, now)
  for _, requestId in ipairs(call('ZREVRANGE', prefix .. 'maker:' .. makerId, 0, MOST_RERANKED - 1)) do
    local former = call('HGET', prefix .. 'rows:' .. requestId, makerId)
    if former then
      local quote = readRow(former)
      quote.rank = rankAgain(quote.rank, demoted)
      local row = writeRow(quote)
      if row ~= former then
        replace(prefix, requestId, makerId, former, row)
        changed(prefix, requestId, now)
      end
    end
  end
end

-- One more miss of a maker; says whether that demotes it. A streak that nobody adds to is forgotten.
local function recordMiss(prefix, makerId, now, window, limit)
  local streak, demoted = prefix .. 'streak:' .. makerId, prefix .. 'demoted'
  if tonumber(call('HGET', streak, 'until') or 0) <= now then call('DEL', streak) end
  local misses = call('HINCRBY', streak, 'misses', 1)
  call('HSET', streak, 'until', now + window)
  call('PEXPIRE', streak, window + ABANDONED_MS)
  call('ZREMRANGEBYSCORE', demoted, '-inf', now)
  if misses < limit then return false end
  call('ZADD', demoted, now + window, makerId)
  call('PEXPIRE', demoted, window + ABANDONED_MS)
  return misses == limit
end

local function forgiveMaker(prefix, makerId, now)
  if call('DEL', prefix .. 'streak:' .. makerId) == 0 then return end
  if call('ZREM', prefix .. 'demoted', makerId) == 1 then rerank(prefix, makerId, now) end
end

-- The id that a maker keeps on a request, and what it ranks by, when it has no quote in the book.
local function enter(prefix, requestId, makerId, freshId, now)
  local quoted, missed = prefix .. 'quoted:' .. requestId, prefix .. 'missed:' .. requestId
  local id, expiresAt = unpack(call('HMGET', prefix .. 'request:' .. requestId, 'id', 'expiresAt'))
  local ttl = ttlOf(expiresAt, now)
  local quoteId = call('HGET', quoted, makerId)
  if not quoteId then
    quoteId = freshId
    local place, ofMaker = prefix .. 'place:' .. quoteId, prefix .. 'maker:' .. makerId
    call('HSET', quoted, makerId, quoteId)
    call('HSET', place, 'request', requestId, 'maker', makerId)
    call('ZADD', ofMaker, id, requestId)
    for _, key in ipairs({ quoted, place, ofMaker }) do call('PEXPIRE', key, ttl) end
  end
  return quoteId, rankOf(call('HGET', missed, makerId), isDemoted(prefix, makerId, now)), ttl
end

-- The worst quote of a request that no one has signed or is asked to: of the last few, so that no request costs more than another.
local LAST_LOOKED_AT = 8

local function worstOf(prefix, requestId)
  local holder = call('HGET', prefix .. 'request:' .. requestId, 'holder')
  for _, row in ipairs(call('ZREVRANGE', prefix .. 'ranked:' .. requestId, 0, LAST_LOOKED_AT - 1)) do
    local makerId = bodyOf(row).makerId
    if not isFirm(row) and makerId ~= holder then return row, makerId end
  end
end

-- Takes a quote out for one that comes to a request as the row `coming`; nothing where it would be worse than all that could go.
local function drop(prefix, requestId, coming, now)
  local from, row, makerId = requestId, nil, nil
  local most, quotes = unpack(call('ZREVRANGE', prefix .. 'counts', 0, 0, 'WITHSCORES'))
  if most and tonumber(quotes) > call('ZCARD', prefix .. 'ranked:' .. requestId) + 1 then
    from = most
    row, makerId = worstOf(prefix, most)
    if not row then count(prefix, most) end
  end
  if not row then
    from = requestId
    row, makerId = worstOf(prefix, requestId)
    if not row or coming > row then return nil end
  end
  take(prefix, from, makerId, row, now)
  return { from, makerId, readRow(row).id }
end

-- Who watches is told of the first quote since it last looked, and looks again by itself: a quote that nobody waits for
-- costs no message, however many there are.
local function put(keys, args)
  local prefix = keys[1]
  local requestId, makerId, freshId, price, since, body, now, most, channels, graceMs = unpack(args)
  local request = prefix .. 'request:' .. requestId
  local status, holder, told, package = unpack(call('HMGET', request, 'status', 'holder', 'told', 'package'))
  if not status then return { 'absent' } end
  if status ~= 'open' then return { 'closed' } end
  if holder == makerId then return { 'locked' } end
  if channels ~= '' and isGone(prefix, makerId, channels, graceMs, tonumber(now)) then return { 'gone' } end
  price = priceFor(package, price)
  local former = call('HGET', prefix .. 'rows:' .. requestId, makerId)
  local quote, ttl, dropped
  if former then
    quote = readRow(former)
    if quote.isFirm then dropSignature(prefix, requestId, makerId) end
    if quote.price ~= price or bidOf(quote.body) ~= bidOf(body) then quote.since = since end
    quote.price, quote.isFirm, quote.body = price, false, body
  else
    -- Without an id it sorts before any quote of its rank, price and time.
    quote = { price = price, since = since, id = '', body = body }
    if tonumber(call('GET', prefix .. 'quotes') or 0) >= tonumber(most) then
      quote.rank = rankOf(call('HGET', prefix .. 'missed:' .. requestId, makerId), isDemoted(prefix, makerId, tonumber(now)))
      dropped = drop(prefix, requestId, writeRow(quote), tonumber(now))
      if not dropped then return { 'full' } end
    end
    quote.id, quote.rank, ttl = enter(prefix, requestId, makerId, freshId, tonumber(now))
  end
  replace(prefix, requestId, makerId, former, writeRow(quote))
  if ttl then
    for _, name in ipairs({ 'rows:', 'ranked:', 'bids:' }) do call('PEXPIRE', prefix .. name .. requestId, ttl) end
    count(prefix, requestId)
    for _, name in ipairs({ 'counts', 'quotes' }) do call('PEXPIRE', prefix .. name, ttl) end
  end
  if told then call('HINCRBY', request, 'seq', 1) else changed(prefix, requestId, tonumber(now)) end
  if dropped then return { 'stored', quote.id, quote.since, unpack(dropped) } end
  return { 'stored', quote.id, quote.since }
end

-- A maker gets orders beforehand for one wallet, the first that it asks with.
local function claimWallet(keys, args)
  local prefix, requestId, makerId, wallet, now = keys[1], unpack(args)
  local wallets = prefix .. 'wallets:' .. requestId
  local status, expiresAt = unpack(call('HMGET', prefix .. 'request:' .. requestId, 'status', 'expiresAt'))
  if status ~= 'open' then return 0 end
  if call('HSETNX', wallets, makerId, wallet) == 1 then call('PEXPIRE', wallets, ttlOf(expiresAt, tonumber(now))) end
  return call('HGET', wallets, makerId) == wallet and 1 or 0
end

-- A signature belongs to the epoch in which it came: a server that took the place of another, or was started again from what it had
-- on disk, may have missed that its maker withdrew it.
local function signatureIn(prefix, requestId, makerId)
  local epoch, encrypted = string.match(call('HGET', prefix .. 'seals:' .. requestId, makerId) or '', '^(%d+) (.*)$')
  return epoch and epoch == epochNow(prefix) and encrypted
end

local function firmSignature(keys, args) return signatureIn(keys[1], args[1], args[2]) or false end

-- Makes a quote firm that is still the one with this body.
local function makeFirm(keys, args)
  local prefix = keys[1]
  local requestId, quoteId, body, encrypted, now = unpack(args)
  local row, makerId = find(prefix, requestId, quoteId)
  if not row then return 'absent' end
  local quote = readRow(row)
  if quote.body ~= body then return 'absent' end
  if isHeld(prefix, requestId, quoteId) then return 'locked' end
  if signatureIn(prefix, requestId, makerId) then return 'firm' end
  local epoch = epochNow(prefix)
  if not epoch then return noEpoch() end
  local seals, expiresAt = prefix .. 'seals:' .. requestId, call('HGET', prefix .. 'request:' .. requestId, 'expiresAt')
  call('HSET', seals, makerId, epoch .. ' ' .. encrypted)
  call('PEXPIRE', seals, ttlOf(expiresAt, tonumber(now)))
  quote.isFirm = true
  replace(prefix, requestId, makerId, row, writeRow(quote))
  changed(prefix, requestId, tonumber(now))
  return 'firm'
end

local function remove(keys, args)
  local requestId, quoteId, now = args[1], args[2], tonumber(args[3])
  local row, makerId = find(keys[1], requestId, quoteId)
  if not row then return 'absent' end
  if isHeld(keys[1], requestId, quoteId) then return 'locked' end
  take(keys[1], requestId, makerId, row, now)
  return 'removed'
end

-- Whether a request is of a series or a market; an empty text is any.
local function isMeant(prefix, requestId, seriesId, conditionId)
  if seriesId == '' and conditionId == '' then return true end
  local body = call('HGET', prefix .. 'request:' .. requestId, 'body')
  if not body then return false end
  local request = cjson.decode(body)
  if seriesId ~= '' and request.seriesId ~= seriesId then return false end
  return conditionId == '' or string.lower(request.market.conditionId) == conditionId
end

-- Whether its maker is gone is judged here: one that came back a moment ago has quoted since.
local function removeAll(keys, args)
  local prefix = keys[1]
  local makerId, seriesId, conditionId, held, now, channels, graceMs = unpack(args)
  local removed = {}
  if channels ~= '' and not isGone(prefix, makerId, channels, graceMs, tonumber(now)) then return removed end
  for _, requestId in ipairs(call('ZRANGE', prefix .. 'maker:' .. makerId, 0, -1)) do
    local row = call('HGET', prefix .. 'rows:' .. requestId, makerId)
    local isFree = held == 'taken' or call('HGET', prefix .. 'request:' .. requestId, 'holder') ~= makerId
    if row and isFree and isMeant(prefix, requestId, seriesId, conditionId) then
      take(prefix, requestId, makerId, row, tonumber(now))
      table.insert(removed, requestId)
      table.insert(removed, readRow(row).id)
    end
  end
  return removed
end

local function expire(keys, args)
  local requestId, quoteId, now = args[1], args[2], tonumber(args[3])
  local row, makerId = find(keys[1], requestId, quoteId)
  if not row or bodyOf(row).expiresAt > now then return 0 end
  take(keys[1], requestId, makerId, row, now)
  return 1
end

local function forgive(keys, args) forgiveMaker(keys[1], args[1], tonumber(args[2])) end

register('forgive', forgive)
register('put', put)
register('claim_wallet', claimWallet)
register('make_firm', makeFirm)
register('firm_signature', firmSignature)
register('remove', remove)
register('remove_all', removeAll)
register('expire', expire)
