-- The makers' events, their ids and the epoch (decision M1); what all other parts call first.

-- While the library loads there is no redis.call yet.
local function call(...) return redis.call(...) end

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

local function noEpoch() return redis.error_reply('EPOCH the market is empty') end

-- `mark` is a name behind the content, or nothing.
local function announce(prefix, kind, content, mark)
  local epoch = call('HGET', prefix .. 'feed', 'epoch')
  local offset = call('HINCRBY', prefix .. 'feed', 'offset', 1)
  local fields = mark and { kind, content, mark, 1 } or { kind, content }
  call('XADD', prefix .. 'events', 'MAXLEN', '~', FEED_LENGTH, epoch .. '-' .. offset, unpack(fields))
  return string.format('%.0f', tonumber(epoch) * EPOCH_SIZE + offset)
end

-- Of several nodes that notice at the same time one begins: another epoch would send everybody away once more.
local function begin(keys, args)
  local feed = keys[1] .. 'feed'
  local epoch, ofServer = unpack(call('HMGET', feed, 'epoch', 'server'))
  if hasEpoch(keys[1]) or tonumber(args[1]) <= tonumber(epoch or 0) then return 0 end
  call('HSET', feed, 'epoch', args[1], 'offset', 0, 'server', thisServer())
  if ofServer ~= thisServer() then call('HDEL', feed, 'filled', 'filler_until') end
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

redis.register_function('LIBRARY_begin', begin)
redis.register_function('LIBRARY_claim', claim)
redis.register_function('LIBRARY_filled', filled)
