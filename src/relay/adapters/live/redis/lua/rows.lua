-- A quote is one text, its row: fields of fixed width that sort as `compareQuotes` of the domain does, then its id and, behind a blank,
-- the body as its node wrote it. To decode all of it by cjson took a third of what a quote costs Redis (benchmark P10).
-- Nodes of 0.2.0 and 0.3.0 read and write the same texts. The fields, all of digits:
--   rank   the misses of the maker in the request, behind everyone's while it is demoted
--   price  of as many digits as its request has for one; where the highest is best, the difference to it
--   firm   0 where it is, else nothing: what follows then is the colon, which sorts after a 0
--   since  the time of the price

local FIRM = '0'

local ROW = '^(%d+):(%d+):(%d+):([^ ]*) (.*)$'

-- What the maker of a quote ranks by.
local function rankOf(misses, isDemoted)
  return string.format('%06d', math.min(tonumber(misses or 0), DEMOTED - 1) + (isDemoted and DEMOTED or 0))
end

-- The rank of a maker whose misses in the request stay as they are.
local function rankAgain(rank, isDemoted) return rankOf(tonumber(rank) % DEMOTED, isDemoted) end

local function writeRow(quote)
  local firm = quote.isFirm and FIRM or ''
  return quote.rank .. ':' .. quote.price .. firm .. ':' .. quote.since .. ':' .. quote.id .. ' ' .. quote.body
end

-- A price comes with the digits of a package; that of a single option needs fewer.
local function priceFor(package, price)
  return package and price or string.sub(price, PACKAGE_PRICE_DIGITS - PRICE_DIGITS + 1)
end

-- A price with the mark of a firm quote is longer than any price.
local function hasMark(price) return #price == PRICE_DIGITS + #FIRM or #price == PACKAGE_PRICE_DIGITS + #FIRM end

local function readRow(row)
  local rank, price, since, id, body = string.match(row, ROW)
  local isFirm = hasMark(price)
  if isFirm then price = string.sub(price, 1, -1 - #FIRM) end
  return { rank = rank, price = price, isFirm = isFirm, since = since, id = id, body = body }
end

-- The price on the other side, with which the body of a quote on both begins; nothing of any other.
local function bidOf(body) return string.match(body, '^{"bidRank":"(%d+)"') end

-- The same row as it sorts on the other side; nothing of a quote on one.
local function bidRow(row)
  if not string.find(row, ' {"bidRank"', 1, true) then return nil end
  local quote = readRow(row)
  local bid = bidOf(quote.body)
  if not bid then return nil end
  quote.price = priceFor(#quote.price == PACKAGE_PRICE_DIGITS, bid)
  return writeRow(quote)
end

local function isFirm(row) return hasMark(string.match(row, '^%d+:(%d+)')) end

local function bodyOf(row) return cjson.decode(string.match(row, ' (.*)$')) end
