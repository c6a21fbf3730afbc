-- Requests as they open, are held for a signature, and close; what a node that died left behind.

-- How long a closed request is remembered, and a little more: the reader judges by its own clock.
local TOMBSTONE_MS = CLOSED_MEMORY_MS + 60000

local function open(keys, args)
  local prefix = keys[1]
  local requestId, body, expiresAt, now, wallet, firmOnly, package, audience, both, holder, held, heldAt = unpack(args)
  local request = prefix .. 'request:' .. requestId
  if call('EXISTS', request) == 1 then return 0 end
  if not hasEpoch(prefix) then return noEpoch() end
  local id = announce(prefix, 'opened', body)
  call('HSET', request, 'body', body, 'status', 'open', 'id', id, 'seq', 0, 'expiresAt', expiresAt, 'wallet', wallet)
  if firmOnly ~= '' then call('HSET', request, 'firmOnly', 1) end
  if package ~= '' then call('HSET', request, 'package', 1) end
  if audience ~= '' then call('HSET', request, 'audience', audience) end
  if both ~= '' then call('HSET', request, 'both', 1) end
  call('PEXPIRE', request, ttlOf(expiresAt, tonumber(now)))
  call('ZADD', prefix .. 'open', id, requestId)
  call('ZADD', prefix .. 'due', expiresAt, requestId)
  -- What was before the market was lost: who had quoted, and who is asked to sign.
  for i = 13, #args, 3 do
    enter(prefix, requestId, args[i], args[i + 1], tonumber(now))
    if args[i + 2] ~= '0' then
      local missed = prefix .. 'missed:' .. requestId
      call('HSET', missed, args[i], args[i + 2])
      call('PEXPIRE', missed, ttlOf(expiresAt, tonumber(now)))
    end
  end
  if holder and holder ~= '' then
    enter(prefix, requestId, holder, held, tonumber(now))
    call('HSET', request, 'holder', holder, 'held', held, 'heldAt', heldAt)
    call('ZADD', prefix .. 'held', now, requestId)
  end
  return 1
end

local function lock(keys, args)
  local prefix, requestId, quoteId, now = keys[1], args[1], args[2], args[3]
  local request = prefix .. 'request:' .. requestId
  local row, makerId = find(prefix, requestId, quoteId)
  if not row or call('HEXISTS', request, 'held') == 1 then return false end
  call('HSET', request, 'holder', makerId, 'held', quoteId, 'heldAt', now)
  call('ZADD', prefix .. 'held', now, requestId)
  return row
end

local function unlock(keys, args)
  local prefix, requestId, quoteId, result, now = keys[1], args[1], args[2], args[3], tonumber(args[4])
  local window, limit = tonumber(args[5]), tonumber(args[6])
  local rows, missed = prefix .. 'rows:' .. requestId, prefix .. 'missed:' .. requestId
  local holder, held, expiresAt = unpack(call('HMGET', prefix .. 'request:' .. requestId, 'holder', 'held', 'expiresAt'))
  if held ~= quoteId then return 0 end
  letGo(prefix, requestId)
  local isNews = false
  if result == 'missed' then
    call('HINCRBY', missed, holder, 1)
    call('PEXPIRE', missed, ttlOf(expiresAt, now))
    isNews = recordMiss(prefix, holder, now, window, limit)
  end
  local row = call('HGET', rows, holder)
  if row and bodyOf(row).expiresAt <= now then
    take(prefix, requestId, holder, row, now)
  elseif row and result == 'missed' then
    local quote = readRow(row)
    quote.rank = rankOf(call('HGET', missed, holder), isDemoted(prefix, holder, now))
    replace(prefix, requestId, holder, row, writeRow(quote))
    changed(prefix, requestId, now)
  end
  if isNews then rerank(prefix, holder, now) end
  return 1
end

local function close(keys, args)
  local prefix, requestId, status, now, displaced = keys[1], args[1], args[2], tonumber(args[3]), args[4]
  local request, quoted = prefix .. 'request:' .. requestId, prefix .. 'quoted:' .. requestId
  local former, holder, package, audience, both =
    unpack(call('HMGET', request, 'status', 'holder', 'package', 'audience', 'both'))
  if former ~= 'open' then return { 'absent' } end
  if not hasEpoch(prefix) then return noEpoch() end
  local quotedBy = call('HGETALL', quoted)
  for i = 1, #quotedBy, 2 do
    call('ZREM', prefix .. 'maker:' .. quotedBy[i], requestId)
    call('DEL', prefix .. 'place:' .. quotedBy[i + 1])
  end
  for _, name in ipairs({ 'rows:', 'ranked:', 'bids:', 'missed:', 'seals:', 'wallets:' }) do call('DEL', prefix .. name .. requestId) end
  count(prefix, requestId)
  -- Who quoted is owed an answer: should this node die before it is told, another one reads it here.
  call('PEXPIRE', quoted, TOMBSTONE_MS)
  letGo(prefix, requestId)
  call('ZREM', prefix .. 'open', requestId)
  call('ZREM', prefix .. 'due', requestId)
  call('HSET', request, 'status', status, 'closedAt', now)
  if displaced ~= '' then call('HSET', request, 'displaced', 1) end
  call('PEXPIRE', request, TOMBSTONE_MS)
  announce(prefix, 'closed', requestId, { { 'package', package and 1 }, { 'audience', audience }, { 'both', both and 1 } })
  changed(prefix, requestId, now)
  if holder and status == 'committed' then forgiveMaker(prefix, holder, now) end
  table.insert(quotedBy, 1, 'closed')
  return quotedBy
end

-- The request with its top, in one step; from here on the next change is published again.
local function readTop(keys, args)
  local request = keys[1] .. 'request:' .. args[1]
  local body, closedAt, told = unpack(call('HMGET', request, 'body', 'closedAt', 'told'))
  if not body then return false end
  if told then call('HDEL', request, 'told') end
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

register('open', open)
register('lock', lock)
register('unlock', unlock)
register('close', close)
register('read_top', readTop)
register('stale', stale)
