-- The makers' events, their ids and the epoch (decision M1); what all other parts call first.

-- While the library loads there is no redis.call yet.
local function call(...) return redis.call(...) end

-- The newest epoch that the caller has seen, on whatever server its address led to then.
local newest = 0

-- The epoch of what is here; 0 where there is none.
local function epochHere(prefix) return tonumber(call('HGET', prefix .. 'feed', 'epoch') or 0) end

local function noEpoch() return redis.error_reply('EPOCH the market is empty') end

-- What is older than that is a market which others have gone on with elsewhere, as on a primary that was replaced and is led to again:
-- nothing is told of it or done in it, as if it were empty.
local function register(name, work)
  redis.register_function('LIBRARY_' .. name, function(keys, args)
    newest = tonumber(table.remove(args, 1))
    if epochHere(keys[1]) < newest then return noEpoch() end
    return work(keys, args)
  end)
end

-- What finds out that it is so, and begins again.
local function registerFirst(name, work)
  redis.register_function('LIBRARY_' .. name, function(keys, args)
    newest = tonumber(table.remove(args, 1))
    return work(keys, args)
  end)
end

-- The server that runs this, by the name that it takes at each start; a variable of a library is this server's own.
local server = nil

local function thisServer()
  server = server or string.match(call('INFO', 'server'), 'run_id:(%x+)')
  return server
end

-- A server that was put in the place of another, or was started again from what it had on disk, may have lost the last
-- writes: an id that was told already must not be given to something else.
local function hasEpoch(prefix)
  local epoch, offset, ofServer = unpack(call('HMGET', prefix .. 'feed', 'epoch', 'offset', 'server'))
  return epoch and tonumber(offset) < EPOCH_SIZE - 1 and ofServer == thisServer()
end

-- The epoch as text, false where this server has none yet.
local function epochNow(prefix) return hasEpoch(prefix) and call('HGET', prefix .. 'feed', 'epoch') end

-- `marks` come behind the content, each with its name.
local function announce(prefix, kind, content, marks)
  local epoch = call('HGET', prefix .. 'feed', 'epoch')
  local offset = call('HINCRBY', prefix .. 'feed', 'offset', 1)
  local fields = { kind, content }
  for _, mark in ipairs(marks or {}) do
    if mark[2] then
      table.insert(fields, mark[1])
      table.insert(fields, mark[2])
    end
  end
  call('XADD', prefix .. 'events', 'MAXLEN', '~', FEED_LENGTH, epoch .. '-' .. offset, unpack(fields))
  return string.format('%.0f', tonumber(epoch) * EPOCH_SIZE + offset)
end

-- Whether there is none, or only that of an epoch below the lowest: what it tells of, the durable store has forgotten.
local function isLost(prefix, lowest)
  return not hasEpoch(prefix) or epochHere(prefix) < math.max(tonumber(lowest), newest)
end

-- Who is connected, and which makers are demoted, stays true when the durable store went back in time.
local KEPT = { '^makers:', '^nodes:', '^demoted$', '^streak:' }

local function isKept(name)
  for _, pattern in ipairs(KEPT) do
    if string.match(name, pattern) then return true end
  end
  return false
end

-- Deletes what is left of a market that is lost to the durable store, or all of one that others have gone on with elsewhere.
local function clear(prefix, isOld)
  local cursor, pattern = '0', string.gsub(prefix, '[%*%?%[%]%^\\]', '\\%0') .. '*'
  repeat
    local found = call('SCAN', cursor, 'MATCH', pattern, 'COUNT', 1000)
    cursor = found[1]
    for _, key in ipairs(found[2]) do
      local name = string.sub(key, #prefix + 1)
      if name ~= 'feed' and (isOld or not isKept(name)) then call('UNLINK', key) end
    end
  until cursor == '0'
end

-- Of several nodes that notice at the same time one begins: another epoch would send everybody away once more.
local function begin(keys, args)
  local feed = keys[1] .. 'feed'
  local epoch, ofServer = unpack(call('HMGET', feed, 'epoch', 'server'))
  if not isLost(keys[1], args[2]) or tonumber(args[1]) <= tonumber(epoch or 0) then return 0 end
  local isOld = epoch and tonumber(epoch) < newest
  if isOld or tonumber(epoch or 0) < tonumber(args[2]) then
    clear(keys[1], isOld)
    call('HDEL', feed, 'filled', 'filler_until')
  end
  call('HSET', feed, 'epoch', args[1], 'offset', 0, 'server', thisServer())
  if ofServer ~= thisServer() then call('HDEL', feed, 'filled', 'filler_until') end
  return 1
end

-- Says whether the market holds all open requests, and gives the work of putting them there to one caller at a time.
local function claim(keys, args)
  local feed, now, lease = keys[1] .. 'feed', tonumber(args[1]), tonumber(args[2])
  local epoch, filled, untilAt = unpack(call('HMGET', feed, 'epoch', 'filled', 'filler_until'))
  if isLost(keys[1], args[3]) then return { 'empty', epoch or '' } end
  if filled then return { 'ready', epoch } end
  if untilAt and tonumber(untilAt) > now then return { 'filling', epoch } end
  call('HSET', feed, 'filler_until', now + lease)
  return { 'yours', epoch }
end

local function filled(keys, args)
  if call('HGET', keys[1] .. 'feed', 'epoch') == args[1] then call('HSET', keys[1] .. 'feed', 'filled', 1) end
end

registerFirst('begin', begin)
registerFirst('claim', claim)
registerFirst('filled', filled)
