-- Who is connected, by node: a node that was not heard of for long does not count.

local PRESENCE_MS = 120000

-- How long it is known since when a maker is gone: who was away for longer is gone since ever.
local ABSENCE_MS = 3600000

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
  elseif tonumber(call('ZSCORE', makers, makerId) or 0) > now then
    -- Its score says until when it was here.
    call('ZADD', makers, now, makerId)
  end
  call('ZREMRANGEBYSCORE', makers, '-inf', now - ABSENCE_MS)
  call('PEXPIRE', makers, ABSENCE_MS)
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

-- Since when a maker has no connection of a channel, nothing while it has one; of one that no one has heard of for long, since ever.
local function absentSince(prefix, channel, makerId, now)
  local score = tonumber(call('ZSCORE', prefix .. 'makers:' .. channel, makerId) or 0)
  return score <= now and score
end

-- Whether a maker has been disconnected for its grace, by the rule of `disconnectedSince` in the domain.
local function isGone(prefix, makerId, channels, graceMs, now)
  local stream, socket = absentSince(prefix, 'stream', makerId, now), absentSince(prefix, 'socket', makerId, now)
  local since = stream or socket
  if stream and socket then
    since = channels == 'all' and math.max(stream, socket) or math.min(stream, socket)
  elseif channels == 'all' then
    return false
  end
  return since and now >= since + tonumber(graceMs)
end

register('present', present)
register('who_is_present', whoIsPresent)
