/**
 * Times are Unix milliseconds by the database's clock unless a column says otherwise; wallets are in lower case; a `body` is
 * what codec.ts makes of a value, and the columns beside it are what is searched by.
 */
const TRADING = `
create table requests (
  request_id text primary key,
  status text not null default 'open' check (status in ('open', 'committed', 'expired', 'cancelled')),
  -- The acceptance that waits for its maker. On this row, so that closing and accepting contend for one lock.
  pending_id text,
  closed_at bigint,
  body jsonb not null,
  -- Whether its end was announced. A node of a former version leaves it false, and the others find that nothing is left to announce.
  announced boolean not null default false,
  check (pending_id is null or status = 'open')
);
create index requests_open on requests (request_id) where status = 'open';
create index requests_over on requests (closed_at) where status in ('expired', 'cancelled');
create index requests_unannounced on requests (closed_at) where status <> 'open' and not announced;

-- 'version' rises whenever the wallet may owe more. 'next' is above 'base', the base of nonces that it was taken from.
create table nonces (wallet text primary key, next bigint not null, version bigint not null default 0, base bigint);
create table allotments (
  request_id text,
  wallet text,
  nonce bigint not null,
  primary key (request_id, wallet),
  unique (wallet, nonce)
);

create table acceptances (
  seq bigint generated always as identity,
  acceptance_id text primary key,
  request_id text not null references requests,
  quote_id text not null,
  maker_id text not null,
  wallet text not null,
  valid_until_s bigint not null,
  deadline bigint not null,
  state text not null default 'pending' check (state in ('pending', 'confirmed', 'timed_out', 'declined')),
  ended_at bigint,
  body jsonb not null,
  -- The end of its signed order. Those of orders from before 0.3.0 are not known.
  order_end jsonb,
  order_ended_at bigint,
  defunding jsonb
);
create unique index acceptances_active on acceptances (request_id) where state in ('pending', 'confirmed');
create index acceptances_pending on acceptances (maker_id) where state = 'pending';
create index acceptances_overdue on acceptances (deadline) where state = 'pending';
create index acceptances_of_quote on acceptances (quote_id, seq);
create index acceptances_owed on acceptances (wallet, valid_until_s) where state in ('pending', 'confirmed');
create index acceptances_signed on acceptances (wallet, ended_at) where state = 'confirmed';
create index acceptances_over on acceptances (ended_at) where state in ('timed_out', 'declined');
create index acceptances_unended on acceptances (wallet, valid_until_s) where state = 'confirmed' and order_end is null;
create index acceptances_lapsing on acceptances (valid_until_s) where state = 'confirmed' and order_end is null;
create index acceptances_of_taker on acceptances (lower(body #>> '{order,taker}'), order_ended_at)
  where order_end ->> 'state' in ('filled', 'expired');

create table executions (
  execution_id text primary key,
  request_id text not null unique references requests,
  acceptance_id text not null unique references acceptances,
  maker_id text not null,
  quote_id text not null,
  signature text not null,
  executed_at bigint not null
);
create index executions_in_order on executions (maker_id, executed_at, quote_id collate "C");
create index executions_of_quote on executions (maker_id, quote_id);

create table rejections (
  maker_id text,
  quote_id text,
  request_id text not null,
  reason text not null,
  at bigint not null,
  -- The rank of a quote that lost, beside the winner.
  feedback jsonb,
  primary key (maker_id, quote_id)
);
create index rejections_over on rejections (at);
create index rejections_in_order on rejections (maker_id, at, quote_id collate "C");

-- For a relay alone with its database, which keeps its live market in memory.
create table quoters (
  request_id text,
  maker_id text,
  quote_id text not null,
  misses int not null,
  primary key (request_id, maker_id)
);

-- How far the ends of orders are watched.
create table order_checkpoint (
  singleton boolean primary key default true check (singleton),
  since bigint not null,
  block bigint,
  hash text
);

create table resolutions (series_id text primary key, body jsonb not null);
create table escalations (series_id text primary key, at bigint not null, body jsonb not null);
create table price_points (yes_token_id text, t bigint, p double precision not null, primary key (yes_token_id, t));
create table faucet_claims (wallet text primary key, claimed_at bigint not null);
create index faucet_claims_in_time on faucet_claims (claimed_at);

create table audit (
  seq bigint generated always as identity primary key,
  request_id text not null,
  at bigint not null,
  body jsonb not null
);
create index audit_of_request on audit (request_id, seq);
create index audit_over on audit (at);
`

const MAKERS = `
create table users (
  idp_did text primary key,
  user_id text not null unique,
  maker_id text not null unique,
  created_at bigint not null,
  -- A user of a former version may not choose its makerId: what keys it has had is not known.
  may_choose boolean not null default false
);
create table api_keys (
  digest text primary key,
  key_id text not null unique,
  user_id text not null references users (user_id),
  maker_id text not null,
  name text not null,
  prefix text not null,
  created_at bigint not null,
  last_used_at bigint,
  revoked_at bigint
);
create index api_keys_active on api_keys (user_id) where revoked_at is null;
create table blocks (maker_id text primary key, at bigint not null, body jsonb not null);

create table maker_protections (maker_id text primary key, version bigint not null, body jsonb not null, trip jsonb);
-- The newest 'seq' of a maker is the version of the use of its windows, whichever version of the program counted it.
create table counted_acceptances (
  acceptance_id text primary key,
  maker_id text not null,
  at bigint not null,
  amounts jsonb not null,
  seq bigint generated always as identity
);
create index counted_acceptances_of_maker on counted_acceptances (maker_id, at);
create index counted_acceptances_newest on counted_acceptances (maker_id, seq);

create table maker_outcomes (
  seq bigint generated always as identity,
  maker_id text not null,
  quote_id text not null,
  kind text not null,
  at bigint not null,
  body jsonb not null,
  primary key (maker_id, quote_id, kind)
);
create index maker_outcomes_newest on maker_outcomes (maker_id, at, seq);
create index maker_outcomes_oldest on maker_outcomes (at);
create table maker_suspensions (
  maker_id text primary key,
  version bigint not null default 1,
  body jsonb not null,
  strikes integer generated always as ((body ->> 'strikes')::integer) stored,
  until_ms bigint generated always as ((body ->> 'until')::bigint) stored
);
create index maker_suspensions_until on maker_suspensions (until_ms);
`

/**
 * The row of `store_meta` says which transaction wrote it, in which database and timeline, and since when that server ran. A live market
 * of an epoch below `lowest_epoch` is one of what was forgotten; `begun_epoch` is the newest that a node has begun. `seal_key` encrypts
 * the signatures of firm quotes, which lie in Redis; `move_id` is the move that filled the database. `clock_slew` has by how much the
 * shared time was ahead of the machine's clock when that showed `since`.
 */
const STORE = `
create table store_meta (
  singleton boolean primary key default true check (singleton),
  store_epoch bigint not null check (store_epoch between 0 and 1048575),
  stream_epoch bigint not null default 0,
  move_id text,
  seal_key text,
  nonce_base bigint,
  lowest_epoch bigint not null default 0,
  written_by xid,
  written_in text,
  server_start timestamptz,
  begun_epoch bigint not null default 0
);
create table clock_slew (
  singleton boolean primary key default true check (singleton),
  ahead double precision not null,
  since double precision not null
);
insert into clock_slew (ahead, since) values (0, 0);
`

/** The tables of a fresh database. */
export const TABLES: string = [TRADING, MAKERS, STORE].join('\n')

/** The same for a database of 0.3.0. */
export const TABLES_SINCE_0_3 = `
alter table counted_acceptances add column seq bigint generated always as identity;
create index counted_acceptances_newest on counted_acceptances (maker_id, seq);
`

/** All trades in the order of the tape. */
export const TAPE_INDEX = `
create index executions_in_time on executions (executed_at, execution_id collate "C");
`

/** The transparency log: what waits for its number, the leaves, the tiles (level -1: commitments), and where it ends. */
export const LOG_TABLES = `
create table log_waiting (
  seq bigint generated always as identity primary key,
  body text not null
);
create table log_leaves (
  index bigint primary key,
  request_id text not null,
  number integer not null,
  at bigint not null,
  confirmed boolean not null,
  body text not null,
  commitment bytea not null
);
create unique index log_leaves_of_request on log_leaves (request_id, number);
create index log_leaves_over on log_leaves (at);
create table log_tiles (
  level smallint not null,
  index bigint not null,
  hashes bytea not null,
  primary key (level, index)
);
create table log_head (
  only_one boolean primary key default true check (only_one),
  size bigint not null,
  keys text not null,
  checkpoint text
);
`
