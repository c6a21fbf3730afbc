-- Whose commit runs on a request, and how the last one ended. The keys keep the name of former versions, which may run beside
-- this one.

local OUTCOME_MS = 5000

-- Starts a commit unless another one runs; says whose it is and, to who follows it, how it has ended.
local function acquire(keys, args)
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
  call('PEXPIRE', key, OUTCOME_MS)
  return call('PUBLISH', keys[1] .. 'ended:' .. args[2], '')
end

register('acquire', acquire)
register('renew', renew)
register('is_running', isRunning)
register('conclude', conclude)
