import type { Migration } from './migrations.ts'

/**
 * Times are Unix milliseconds by the database's clock unless a column says otherwise; wallets are in lower case; a `body` is
 * what codec.ts makes of a value, and the columns beside it are what is searched by.
 */
const INITIAL = `
create function now_ms() returns bigint language sql volatile as
$$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint $$;

create table store_meta (
  singleton boolean primary key default true check (singleton),
  store_epoch bigint not null check (store_epoch between 0 and 1048575),
  stream_epoch bigint not null default 0
);

create table requests (
  request_id text primary key,
  status text not null default 'open' check (status in ('open', 'committed', 'expired', 'cancelled')),
  -- The acceptance that waits for its maker. On this row, so that closing and accepting contend for one lock.
  pending_id text,
  closed_at bigint,
  body jsonb not null,
  check (pending_id is null or status = 'open')
);
create index requests_open on requests (request_id) where status = 'open';
create index requests_over on requests (closed_at) where status in ('expired', 'cancelled');

create table nonces (wallet text primary key, next bigint not null);
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
  body jsonb not null
);
create unique index acceptances_active on acceptances (request_id) where state in ('pending', 'confirmed');
create index acceptances_pending on acceptances (maker_id) where state = 'pending';
create index acceptances_of_quote on acceptances (quote_id, seq);
create index acceptances_owed on acceptances (wallet, valid_until_s) where state in ('pending', 'confirmed');
create index acceptances_over on acceptances (ended_at) where state in ('timed_out', 'declined');

create table executions (
  execution_id text primary key,
  request_id text not null unique references requests,
  acceptance_id text not null unique references acceptances,
  maker_id text not null,
  quote_id text not null,
  signature text not null,
  executed_at bigint not null
);
create index executions_of_maker on executions (maker_id, executed_at);

create table rejections (
  maker_id text,
  quote_id text,
  request_id text not null,
  reason text not null,
  at bigint not null,
  primary key (maker_id, quote_id)
);
create index rejections_over on rejections (at);

create table resolutions (series_id text primary key, body jsonb not null);
create table escalations (series_id text primary key, at bigint not null, body jsonb not null);
create table price_points (yes_token_id text, t bigint, p double precision not null, primary key (yes_token_id, t));
create table faucet_claims (wallet text primary key, claimed_at bigint not null);

create table users (
  idp_did text primary key,
  user_id text not null unique,
  maker_id text not null unique,
  created_at bigint not null
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

create table audit (
  seq bigint generated always as identity primary key,
  request_id text not null,
  at bigint not null,
  body jsonb not null
);
create index audit_of_request on audit (request_id, seq);
create index audit_over on audit (at);

-- The wallet's row is locked first, so that nobody gives its next nonce at the same time.
create function allot_nonce(of_request text, of_wallet text) returns bigint language plpgsql as
$$
declare
  allotted bigint;
begin
  insert into nonces select of_wallet, store_epoch * 4294967296 from store_meta on conflict do nothing;
  perform from nonces where wallet = of_wallet for update;
  select nonce into allotted from allotments where request_id = of_request and wallet = of_wallet;
  if allotted is null then
    update nonces set next = next + 1 where wallet = of_wallet returning next - 1 into allotted;
    insert into allotments values (of_request, of_wallet, allotted);
  end if;
  return allotted;
end
$$;
`

/**
 * Whether the end of a request was told. What ended before this was known has been told long ago; a node of the former
 * version leaves it false, and the others find that nothing is left to tell.
 */
const ANNOUNCED = `
alter table requests add column announced boolean not null default false;
update requests set announced = true where status <> 'open';
create index requests_unannounced on requests (closed_at) where status <> 'open' and not announced;
create index acceptances_overdue on acceptances (deadline) where state = 'pending';
`

/** Which move filled the database, as the file that it came from knows it; null for one that began empty. */
const MOVED_FROM = `
alter table store_meta add column move_id text;
`

/**
 * Pages of a maker's history, turns at the faucet and active keys are looked up by an index, however many there are. The
 * user's row is locked, so that no one makes a key of the same user between the count and the insert.
 */
const BOUNDS = `
create index executions_in_order on executions (maker_id, executed_at, quote_id collate "C");
create index executions_of_quote on executions (maker_id, quote_id);
drop index executions_of_maker;
create index rejections_in_order on rejections (maker_id, at, quote_id collate "C");
create index faucet_claims_in_time on faucet_claims (claimed_at);
delete from api_keys where revoked_at is not null;

create function insert_api_key(key jsonb, most_active bigint) returns boolean language plpgsql as
$$
begin
  perform from users where user_id = key ->> 'userId' for update;
  if (select count(*) from api_keys where user_id = key ->> 'userId' and revoked_at is null) >= most_active then
    return false;
  end if;
  insert into api_keys (digest, key_id, user_id, maker_id, name, prefix, created_at) values (
    key ->> 'digest', key ->> 'keyId', key ->> 'userId', key ->> 'makerId', key ->> 'name', key ->> 'prefix',
    (key ->> 'createdAt')::bigint
  );
  return true;
end
$$;
`

/** The makers that quoted on each request, for a relay alone with its database that keeps its live market in memory. */
const QUOTERS = `
create table quoters (
  request_id text,
  maker_id text,
  quote_id text not null,
  misses int not null,
  primary key (request_id, maker_id)
);
`

/**
 * What a wallet owes is looked at and added to in one step: both functions hold its row of `nonces` until they are durable, and
 * count its version up. A node of the former version does not, and so may promise a wallet twice while both versions run.
 */
const OWED = `
alter table nonces add column version bigint not null default 0;
create index acceptances_signed on acceptances (wallet, ended_at) where state = 'confirmed';

-- Its nonce comes with it, which may be lost when the server crashed after it was allotted.
create function insert_acceptance(
  of_id text, of_request text, of_quote text, of_maker text, of_wallet text, until_s bigint, until_ms bigint, of_body jsonb,
  of_nonce bigint, seen bigint
) returns text language plpgsql as
$$
declare
  owed bigint;
begin
  insert into nonces (wallet, next) values (of_wallet, of_nonce + 1) on conflict do nothing;
  select version into owed from nonces where wallet = of_wallet for update;
  if not exists (select from requests where request_id = of_request and status = 'open' and pending_id is null) then
    return 'closed';
  end if;
  if owed <> seen then return 'outdated'; end if;
  update requests set pending_id = of_id where request_id = of_request and status = 'open' and pending_id is null;
  if not found then return 'closed'; end if;
  update nonces set next = greatest(next, of_nonce + 1), version = version + 1 where wallet = of_wallet;
  insert into allotments values (of_request, of_wallet, of_nonce) on conflict do nothing;
  insert into acceptances (acceptance_id, request_id, quote_id, maker_id, wallet, valid_until_s, deadline, body)
  values (of_id, of_request, of_quote, of_maker, of_wallet, until_s, until_ms, of_body);
  return 'inserted';
end
$$;

-- A second is allowed for: an acceptance is made a little before what its wallet owes is read.
create function confirm_acceptance(of_id text, of_execution text, of_signature text, seen bigint)
returns table (result text, body jsonb, executed_at bigint) language plpgsql as
$$
#variable_conflict use_column
declare
  asked acceptances;
  owed bigint;
begin
  select * into asked from acceptances where acceptance_id = of_id and state = 'pending';
  if not found then return query select 'over', null::jsonb, null::bigint; return; end if;
  select version into owed from nonces where wallet = asked.wallet for update;
  if owed <> seen or seen is null and exists (
    select from acceptances
    where wallet = asked.wallet and state = 'confirmed' and maker_id <> asked.maker_id
    and ended_at >= (asked.body ->> 'createdAt')::bigint - 1000
  ) then return query select 'outdated', null::jsonb, null::bigint; return; end if;
  update acceptances set state = 'confirmed', ended_at = now_ms()
  where acceptance_id = of_id and state = 'pending' and now_ms() < deadline returning * into asked;
  if not found then return query select 'over', null::jsonb, null::bigint; return; end if;
  update requests set status = 'committed', pending_id = null, closed_at = asked.ended_at where request_id = asked.request_id;
  insert into executions (execution_id, request_id, acceptance_id, maker_id, quote_id, signature, executed_at)
  values (of_execution, asked.request_id, of_id, asked.maker_id, asked.quote_id, of_signature, asked.ended_at);
  update nonces set version = version + 1 where wallet = asked.wallet;
  return query select 'confirmed', asked.body, asked.ended_at;
end
$$;
`

/** Makers that operators have shut out, or let in again. */
const BLOCKS = `
create table blocks (maker_id text primary key, at bigint not null, body jsonb not null);
`

/**
 * What makers have the relay hold for them, and what counts in the windows of those that have any. The maker's row is locked
 * first, then the wallet's. A node of the former version does not look, and so may ask a protected maker while both run.
 */
const PROTECTIONS = `
create table maker_protections (maker_id text primary key, version bigint not null, body jsonb not null, trip jsonb);
create table counted_acceptances (
  acceptance_id text primary key,
  maker_id text not null,
  at bigint not null,
  amounts jsonb not null
);
create index counted_acceptances_of_maker on counted_acceptances (maker_id, at);

create function put_protections(of_maker text, of_body jsonb) returns setof maker_protections language plpgsql as
$$
declare
  former maker_protections;
begin
  select * into former from maker_protections where maker_id = of_maker for update;
  if found and jsonb_array_length(former.body -> 'windows') = 0 then
    delete from counted_acceptances where maker_id = of_maker;
  end if;
  return query insert into maker_protections as held values (of_maker, 1, of_body)
  on conflict (maker_id) do update set version = held.version + 1, body = excluded.body returning *;
end
$$;

create function reset_protections(of_maker text) returns setof maker_protections language plpgsql as
$$
begin
  perform from maker_protections where maker_id = of_maker for update;
  delete from counted_acceptances where maker_id = of_maker;
  return query update maker_protections set version = version + 1, trip = null
  where maker_id = of_maker returning *;
end
$$;

-- What an acceptance may not be offered for: the maker's protections are others than the node saw, tripped, or trip now.
create function is_protected(of_maker text, next jsonb, seen bigint) returns boolean language plpgsql as
$$
declare
  guard maker_protections;
  bound jsonb;
  used record;
  moment bigint;
begin
  select * into guard from maker_protections where maker_id = of_maker for update;
  if not found then return coalesce(seen, 0) <> 0; end if;
  if guard.version <> seen then return true; end if;
  moment := now_ms();
  if guard.trip is not null and coalesce((guard.trip ->> 'until')::bigint > moment, true) then return true; end if;
  for bound in select * from jsonb_array_elements(guard.body -> 'windows') loop
    select count(*) as accepted,
      coalesce(sum((amounts ->> 'contracts')::numeric), 0) as contracts,
      coalesce(sum((amounts ->> 'notional')::numeric), 0) as notional,
      coalesce(sum((amounts ->> 'collateral')::numeric), 0) as collateral into used
    from counted_acceptances where maker_id = of_maker and at > moment - (bound ->> 'ms')::bigint;
    if used.accepted + 1 > (bound ->> 'maxAccepted')::numeric
      or used.contracts + (next ->> 'contracts')::numeric > (bound ->> 'maxContracts')::numeric
      or used.notional + (next ->> 'notional')::numeric > (bound ->> 'maxNotional')::numeric
      or used.collateral + (next ->> 'collateral')::numeric > (bound ->> 'maxCollateral')::numeric
    then
      update maker_protections set version = version + 1, trip = jsonb_build_object(
        'at', moment, 'until', moment + (guard.body ->> 'freezeMs')::bigint, 'window', bound,
        'used', jsonb_build_object('accepted', used.accepted, 'contracts', used.contracts::text,
          'notional', used.notional::text, 'collateral', used.collateral::text),
        'withNext', jsonb_build_object('accepted', used.accepted + 1,
          'contracts', (used.contracts + (next ->> 'contracts')::numeric)::text,
          'notional', (used.notional + (next ->> 'notional')::numeric)::text,
          'collateral', (used.collateral + (next ->> 'collateral')::numeric)::text)
      ) where maker_id = of_maker;
      return true;
    end if;
  end loop;
  return false;
end
$$;

-- An acceptance that would be refused anyway must not trip what protects its maker.
create function insert_acceptance(
  of_id text, of_request text, of_quote text, of_maker text, of_wallet text, until_s bigint, until_ms bigint, of_body jsonb,
  of_nonce bigint, seen bigint, counted jsonb, seen_protections bigint
) returns text language plpgsql as
$$
declare
  result text;
begin
  if not exists (select from requests where request_id = of_request and status = 'open' and pending_id is null) then
    return 'closed';
  end if;
  if seen is not null and seen <> coalesce((select version from nonces where wallet = of_wallet), 0) then
    return 'outdated';
  end if;
  if is_protected(of_maker, counted, seen_protections) then return 'protected'; end if;
  result := insert_acceptance(
    of_id, of_request, of_quote, of_maker, of_wallet, until_s, until_ms, of_body, of_nonce, seen
  );
  if result = 'inserted' then
    insert into counted_acceptances
    select of_id, of_maker, now_ms(), counted from maker_protections
    where maker_id = of_maker and jsonb_array_length(body -> 'windows') > 0;
  end if;
  return result;
end
$$;
`

/** Ends of signed orders; those of earlier orders are not known. One row keeps how far they are watched. */
const ORDER_ENDS = `
alter table acceptances add column order_end jsonb, add column order_ended_at bigint;
create index acceptances_unended on acceptances (wallet, valid_until_s) where state = 'confirmed' and order_end is null;
create index acceptances_lapsing on acceptances (valid_until_s) where state = 'confirmed' and order_end is null;
create table order_checkpoint (
  singleton boolean primary key default true check (singleton),
  since bigint not null,
  block bigint,
  hash text
);
`

/**
 * What makers did, once for each quote and kind, and the last suspension of each. A maker's outcomes are noted one after the
 * other, so that the last of those that suspend it sees them all.
 */
const MAKER_RECORDS = `
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

create function note_outcome(
  of_maker text, of_quote text, of_kind text, of_body jsonb, known_by text[], replaced text[], most integer,
  incident_ms bigint
) returns table (noted_at bigint, suspension jsonb) language plpgsql as
$$
declare
  moment bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('maker record ' || of_maker, 0));
  if exists (select from maker_outcomes where maker_id = of_maker and quote_id = of_quote and kind = any(known_by)) then
    return;
  end if;
  if of_kind = 'missed' and exists (
    select from maker_outcomes where maker_id = of_maker and kind = 'missed' and at > now_ms() - incident_ms
  ) then
    return;
  end if;
  delete from maker_outcomes where maker_id = of_maker and quote_id = of_quote and kind = any(replaced);
  moment := now_ms();
  insert into maker_outcomes (maker_id, quote_id, kind, at, body) values (of_maker, of_quote, of_kind, moment, of_body);
  delete from maker_outcomes where maker_id = of_maker and (at, seq) < (
    select at, seq from maker_outcomes where maker_id = of_maker order by at desc, seq desc offset most - 1 limit 1
  );
  return query select moment, (select body from maker_suspensions where maker_id = of_maker);
end
$$;

create function is_suspended(of_maker text) returns boolean language sql volatile as
$$ select exists (select from maker_suspensions where maker_id = of_maker and until_ms > now_ms()) $$;

-- Whoever waits for the wallet's row looks again when it has it.
create function insert_unless_suspended(
  of_id text, of_request text, of_quote text, of_maker text, of_wallet text, until_s bigint, until_ms bigint, of_body jsonb,
  of_nonce bigint, seen bigint, counted jsonb, seen_protections bigint
) returns text language plpgsql as
$$
begin
  if is_suspended(of_maker) then return 'suspended'; end if;
  perform from nonces where wallet = of_wallet for update;
  if is_suspended(of_maker) then return 'suspended'; end if;
  return insert_acceptance(
    of_id, of_request, of_quote, of_maker, of_wallet, until_s, until_ms, of_body, of_nonce, seen, counted, seen_protections
  );
end
$$;
`

/** The rank of a quote that lost, beside the winner. */
const FEEDBACK = `
alter table rejections add column feedback jsonb;
`

/** Ends of each taker's orders, the newest first. */
const TAKER_RATINGS = `
create index acceptances_of_taker on acceptances (lower(body #>> '{order,taker}'), order_ended_at)
where order_end ->> 'state' in ('filled', 'expired');
`

/** Signed orders that their makers took away the money of. */
const DEFUNDED = 'alter table acceptances add column defunding jsonb'

/**
 * A firm quote closes in one step: its acceptance and its execution, judged as any acceptance. And the key that the nodes of this
 * database encrypt the signatures of firm quotes with, which lie in Redis.
 */
const FIRM_QUOTES = `
alter table store_meta add column seal_key text;

create function insert_signed(
  of_id text, of_request text, of_quote text, of_maker text, of_wallet text, until_s bigint, until_ms bigint, of_body jsonb,
  of_nonce bigint, seen bigint, counted jsonb, seen_protections bigint, of_execution text, of_signature text
) returns table (result text, executed_at bigint) language plpgsql as
$$
#variable_conflict use_column
declare
  inserted text;
  moment bigint;
begin
  -- What this waits for is over before the deadline is looked at.
  perform from nonces where wallet = of_wallet for update;
  if now_ms() >= until_ms then return query select 'late', null::bigint; return; end if;
  inserted := insert_unless_suspended(
    of_id, of_request, of_quote, of_maker, of_wallet, until_s, until_ms, of_body, of_nonce, seen, counted, seen_protections
  );
  if inserted <> 'inserted' then return query select inserted, null::bigint; return; end if;
  moment := now_ms();
  update acceptances set state = 'confirmed', ended_at = moment where acceptance_id = of_id;
  update requests set status = 'committed', pending_id = null, closed_at = moment where request_id = of_request;
  insert into executions (execution_id, request_id, acceptance_id, maker_id, quote_id, signature, executed_at)
  values (of_execution, of_request, of_id, of_maker, of_quote, of_signature, moment);
  return query select inserted, moment;
end
$$;
`

/** Insolvencies of one incident are one, as misses are: strangers decide how many quotes of an empty wallet they take at once. */
const INCIDENTS = `
create or replace function note_outcome(
  of_maker text, of_quote text, of_kind text, of_body jsonb, known_by text[], replaced text[], most integer,
  incident_ms bigint
) returns table (noted_at bigint, suspension jsonb) language plpgsql as
$$
declare
  moment bigint;
begin
  perform pg_advisory_xact_lock(hashtextextended('maker record ' || of_maker, 0));
  if exists (select from maker_outcomes where maker_id = of_maker and quote_id = of_quote and kind = any(known_by)) then
    return;
  end if;
  if of_kind in ('missed', 'insolvent') and exists (
    select from maker_outcomes where maker_id = of_maker and kind = of_kind and at > now_ms() - incident_ms
  ) then
    return;
  end if;
  delete from maker_outcomes where maker_id = of_maker and quote_id = of_quote and kind = any(replaced);
  moment := now_ms();
  insert into maker_outcomes (maker_id, quote_id, kind, at, body) values (of_maker, of_quote, of_kind, moment, of_body);
  delete from maker_outcomes where maker_id = of_maker and (at, seq) < (
    select at, seq from maker_outcomes where maker_id = of_maker order by at desc, seq desc offset most - 1 limit 1
  );
  return query select moment, (select body from maker_suspensions where maker_id = of_maker);
end
$$;
`

/**
 * Takers that have proved no wallet have a quarter of each window of their maker together, and trip none. What a node of the former version
 * stores does not say whether they have: it is judged as before, and counts as theirs.
 */
const PROVEN_TAKERS = `
create function exceeds(
  bound jsonb, share integer, accepted numeric, contracts numeric, notional numeric, collateral numeric
) returns boolean language sql immutable as
$$
select coalesce(accepted > div((bound ->> 'maxAccepted')::numeric, share), false)
  or coalesce(contracts > div((bound ->> 'maxContracts')::numeric, share), false)
  or coalesce(notional > div((bound ->> 'maxNotional')::numeric, share), false)
  or coalesce(collateral > div((bound ->> 'maxCollateral')::numeric, share), false)
$$;

-- What an acceptance is to the protections of its maker: null where they let it through. One of a proven taker may trip them.
create function protection_refusal(of_maker text, next jsonb, seen bigint) returns text language plpgsql as
$$
declare
  guard maker_protections;
  bound jsonb;
  used record;
begin
  if coalesce((next ->> 'isProven')::boolean, true) then
    return case when is_protected(of_maker, next, seen) then 'protected' end;
  end if;
  select * into guard from maker_protections where maker_id = of_maker for update;
  if not found then return case when coalesce(seen, 0) <> 0 then 'protected' end; end if;
  if guard.version <> seen then return 'protected'; end if;
  if guard.trip is not null and coalesce((guard.trip ->> 'until')::bigint > now_ms(), true) then return 'protected'; end if;
  for bound in select * from jsonb_array_elements(guard.body -> 'windows') loop
    select count(*) + 1 as accepted,
      coalesce(sum((amounts ->> 'contracts')::numeric), 0) + (next ->> 'contracts')::numeric as contracts,
      coalesce(sum((amounts ->> 'notional')::numeric), 0) + (next ->> 'notional')::numeric as notional,
      coalesce(sum((amounts ->> 'collateral')::numeric), 0) + (next ->> 'collateral')::numeric as collateral,
      count(*) filter (where not is_proven) + 1 as unproven,
      coalesce(sum((amounts ->> 'contracts')::numeric) filter (where not is_proven), 0) + (next ->> 'contracts')::numeric as unproven_contracts,
      coalesce(sum((amounts ->> 'notional')::numeric) filter (where not is_proven), 0) + (next ->> 'notional')::numeric as unproven_notional,
      coalesce(sum((amounts ->> 'collateral')::numeric) filter (where not is_proven), 0) + (next ->> 'collateral')::numeric as unproven_collateral
    into used
    from (
      select amounts, coalesce((amounts ->> 'isProven')::boolean, false) as is_proven
      from counted_acceptances where maker_id = of_maker and at > now_ms() - (bound ->> 'ms')::bigint
    ) as counted;
    if exceeds(bound, 1, used.accepted, used.contracts, used.notional, used.collateral)
      or exceeds(bound, 4, used.unproven, used.unproven_contracts, used.unproven_notional, used.unproven_collateral)
    then
      return 'unproven';
    end if;
  end loop;
  return null;
end
$$;

create or replace function insert_acceptance(
  of_id text, of_request text, of_quote text, of_maker text, of_wallet text, until_s bigint, until_ms bigint, of_body jsonb,
  of_nonce bigint, seen bigint, counted jsonb, seen_protections bigint
) returns text language plpgsql as
$$
declare
  result text;
begin
  if not exists (select from requests where request_id = of_request and status = 'open' and pending_id is null) then
    return 'closed';
  end if;
  if seen is not null and seen <> coalesce((select version from nonces where wallet = of_wallet), 0) then
    return 'outdated';
  end if;
  result := protection_refusal(of_maker, counted, seen_protections);
  if result is not null then return result; end if;
  result := insert_acceptance(
    of_id, of_request, of_quote, of_maker, of_wallet, until_s, until_ms, of_body, of_nonce, seen
  );
  if result = 'inserted' then
    insert into counted_acceptances
    select of_id, of_maker, now_ms(), counted from maker_protections
    where maker_id = of_maker and jsonb_array_length(body -> 'windows') > 0;
  end if;
  return result;
end
$$;
`

/**
 * The store notices by itself that it went back in time, in whatever writes to `store_meta` or allots a nonce: its one row says which
 * transaction wrote it, in which database and timeline, and since when that server ran. A row that a restore has put there has another
 * `xmin`; a standby that was promoted has another timeline; a disk that was put back has a server that started since.
 *
 * Then nonces go on from a base that no one has had: the seconds since 1970 times 2^20, and 20 random bits. Which base a wallet's next
 * nonce is of stands beside it. Streams go on above the epochs that were forgotten, too, and a live market of an epoch below
 * `lowest_epoch` is one of what was forgotten. A restart of the server by itself only takes another base.
 *
 * A node of the former version follows: it calls these functions, and what it writes to `store_meta` goes through the trigger.
 */
const WENT_BACK = `
alter table nonces add column base bigint;
alter table store_meta
  add column nonce_base bigint,
  add column lowest_epoch bigint not null default 0,
  add column written_by xid,
  add column written_in text,
  add column server_start timestamptz;

create function fresh_nonce_base() returns bigint language sql volatile as
$$ select (now_ms() / 1000) * 1048576 + floor(random() * 1048576)::bigint $$;

-- Some managed servers do not tell of their log; where one fails over, what takes its place has the same disk.
create function log_timeline() returns text language plpgsql volatile as
$$
begin
  return substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8);
exception when others then
  return '';
end
$$;

-- Up to where the log is on disk, and its last checkpoint: of a server that has just started, where it went on from.
create function log_position(out flushed bigint, out checkpoint bigint) language plpgsql volatile as
$$
begin
  flushed := pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0');
  checkpoint := (select pg_wal_lsn_diff(checkpoint_lsn, '0/0') from pg_control_checkpoint());
exception when others then
end
$$;

-- The database, as the path of a file in it names it, and the timeline of what it writes.
create function store_place() returns text language sql volatile as
$$ select substring(pg_relation_filepath('store_meta') from '([0-9]+)/[0-9]+$') || ' ' || log_timeline() $$;

update store_meta set nonce_base = fresh_nonce_base(), written_by = pg_current_xact_id()::xid, written_in = store_place(),
  server_start = pg_postmaster_start_time();

-- Whoever writes to the row by hand need not have its schema in the search path.
create function renew_store_meta() returns trigger language plpgsql set search_path from current as
$$
declare
  went_back boolean;
begin
  if tg_op = 'INSERT' then
    -- A row that says who wrote it is a copy.
    went_back := new.written_by is not null;
  else
    went_back := old.written_by is distinct from old.xmin or new.written_in is distinct from store_place();
  end if;
  if went_back or new.server_start is distinct from pg_postmaster_start_time() then
    new.nonce_base := fresh_nonce_base();
  end if;
  if went_back then
    new.stream_epoch := greatest(new.stream_epoch, (now_ms() - 1767225600000) / 60000) + 100;
    new.lowest_epoch := new.stream_epoch;
  end if;
  new.written_by := pg_current_xact_id()::xid;
  new.written_in := store_place();
  new.server_start := pg_postmaster_start_time();
  return new;
end
$$;
create trigger renew_store_meta before insert or update on store_meta for each row execute function renew_store_meta();

-- Whoever has the wallet's row reads the base after it was locked: a base that is over is never taken up again.
create function lock_nonces(of_wallet text) returns void language plpgsql as
$$
declare
  now_base bigint;
  is_known boolean;
begin
  insert into nonces (wallet, next) values (of_wallet, 0) on conflict do nothing;
  perform from nonces where wallet = of_wallet for update;
  select nonce_base, written_by = xmin and written_in = store_place() and server_start = pg_postmaster_start_time()
  into now_base, is_known from store_meta;
  if is_known is not true then
    update store_meta set singleton = true returning nonce_base into now_base;
  end if;
  update nonces set next = now_base, base = now_base where wallet = of_wallet and base is distinct from now_base;
end
$$;

create or replace function allot_nonce(of_request text, of_wallet text) returns bigint language plpgsql as
$$
declare
  allotted bigint;
begin
  perform lock_nonces(of_wallet);
  select nonce into allotted from allotments where request_id = of_request and wallet = of_wallet;
  if allotted is null then
    update nonces set next = next + 1 where wallet = of_wallet returning next - 1 into allotted;
    insert into allotments values (of_request, of_wallet, allotted);
  end if;
  return allotted;
end
$$;
`

/**
 * Who may promise what. A connection says for which schema its program was written. 0.2.0 (7) says nothing, and is known by the function
 * that it calls; what is older calls none, does not look at what a wallet owes, and promises nothing here. A step that a former
 * program must not trade beside replaces `oldest_trading`.
 */
const TRADING_PROGRAMS = `
create function oldest_trading() returns integer language sql immutable as $$ select 7 $$;

create function program_schema() returns integer language sql stable as
$$ select coalesce(nullif(current_setting('rfqctl.schema', true), '')::integer, 0) $$;

create or replace function insert_acceptance(
  of_id text, of_request text, of_quote text, of_maker text, of_wallet text, until_s bigint, until_ms bigint, of_body jsonb,
  of_nonce bigint, seen bigint
) returns text language plpgsql as
$$
declare
  owed bigint;
begin
  if program_schema() = 0 then perform set_config('rfqctl.schema', '7', true); end if;
  perform lock_nonces(of_wallet);
  select version into owed from nonces where wallet = of_wallet;
  if not exists (select from requests where request_id = of_request and status = 'open' and pending_id is null) then
    return 'closed';
  end if;
  if owed <> seen then return 'outdated'; end if;
  update requests set pending_id = of_id where request_id = of_request and status = 'open' and pending_id is null;
  if not found then return 'closed'; end if;
  -- Its nonce comes with it, which may be lost when the server crashed after it was allotted: such a one is a few above the next.
  update nonces set version = version + 1,
    next = case when of_nonce >= next and of_nonce < next + 65536 then of_nonce + 1 else next end
  where wallet = of_wallet;
  insert into allotments values (of_request, of_wallet, of_nonce) on conflict do nothing;
  insert into acceptances (acceptance_id, request_id, quote_id, maker_id, wallet, valid_until_s, deadline, body)
  values (of_id, of_request, of_quote, of_maker, of_wallet, until_s, until_ms, of_body);
  return 'inserted';
end
$$;

create function refuse_former_program() returns trigger language plpgsql as
$$
begin
  if program_schema() < oldest_trading() then
    raise exception 'a program of schema % must not trade beside one of schema % or later', program_schema(), oldest_trading()
      using errcode = 'insufficient_privilege';
  end if;
  -- It asks without a look at them.
  if program_schema() < 10 and (
    exists (select from maker_protections where maker_id = new.maker_id) or is_suspended(new.maker_id)
  ) then
    raise exception 'a program of schema % does not know what protects or suspends maker %', program_schema(), new.maker_id;
  end if;
  return new;
end
$$;
create trigger refuse_former_program before insert on acceptances for each row execute function refuse_former_program();
`

/**
 * The time that all nodes share, and that judges deadlines, never stands still: where the clock of the database's machine was set back, time
 * goes on from where it was, at half speed until that clock is right. A node that finds the clock behind what the time must be says so,
 * and `now_ms` is written again with what it is ahead by: as a function without a look into a table it costs per row what it did.
 */
const SHARED_TIME = `
create table clock_slew (
  singleton boolean primary key default true check (singleton),
  ahead double precision not null,
  since double precision not null
);
insert into clock_slew (ahead, since) values (0, 0);

create function raw_ms() returns double precision language sql volatile as
$$ select extract(epoch from clock_timestamp())::double precision * 1000 $$;

-- The clock of the machine, and by how much the time was ahead of it when it showed 'since'. 'expected' is what the time must be at least.
create function observe_clock(expected double precision)
returns table (raw double precision, ahead double precision, since double precision) language plpgsql as
$$
#variable_conflict use_column
declare
  slew clock_slew;
  machine double precision;
begin
  select * into slew from clock_slew;
  machine := raw_ms();
  if expected - 1000 > machine + greatest(0, slew.ahead - (machine - slew.since) / 2) then
    -- Another node may have said so meanwhile.
    select * into slew from clock_slew for update;
    machine := raw_ms();
    if expected - 1000 > machine + greatest(0, slew.ahead - (machine - slew.since) / 2) then
      update clock_slew set ahead = expected - machine, since = machine returning * into slew;
      execute format('create or replace function now_ms() returns bigint language sql volatile as
        ''select floor(raw_ms() + greatest(0, %s::double precision - (raw_ms() - %s::double precision) / 2))::bigint''',
        slew.ahead, slew.since);
    end if;
  end if;
  return query select machine, slew.ahead, slew.since;
end
$$;
`

/**
 * A user that has never had a key may choose its makerId, once. Users of a former version, and those that a node of one makes, may
 * not: what keys they have had is not known. Such a node also makes keys of users that may, by `insert_api_key`, which settles the
 * makerId, and gives the key the one that stands.
 */
const CHOSEN_MAKER_IDS = `
alter table users add column may_choose boolean not null default false;

-- The unique index of maker_id lets one of two have it, whoever comes first.
create function settle_maker_id(of_idp_did text, chosen text) returns jsonb language plpgsql as
$$
declare
  owner users;
begin
  select * into strict owner from users where idp_did = of_idp_did for update;
  if chosen is distinct from owner.maker_id and chosen is not null and not owner.may_choose then
    return to_jsonb('settled'::text);
  end if;
  if owner.may_choose then
    begin
      update users set maker_id = coalesce(chosen, maker_id), may_choose = false where idp_did = of_idp_did returning * into owner;
    exception when unique_violation then
      return to_jsonb('taken'::text);
    end;
  end if;
  return jsonb_build_object(
    'userId', owner.user_id, 'idpDid', owner.idp_did, 'makerId', owner.maker_id, 'createdAt', owner.created_at
  );
end
$$;

create or replace function insert_api_key(key jsonb, most_active bigint) returns boolean language plpgsql as
$$
declare
  owner users;
begin
  select * into owner from users where user_id = key ->> 'userId' for update;
  if (select count(*) from api_keys where user_id = key ->> 'userId' and revoked_at is null) >= most_active then
    return false;
  end if;
  if owner.may_choose then
    update users set may_choose = false where user_id = owner.user_id;
  end if;
  insert into api_keys (digest, key_id, user_id, maker_id, name, prefix, created_at) values (
    key ->> 'digest', key ->> 'keyId', key ->> 'userId', coalesce(owner.maker_id, key ->> 'makerId'), key ->> 'name',
    key ->> 'prefix', (key ->> 'createdAt')::bigint
  );
  return true;
end
$$;
`

/** The newest epoch of a live market in Redis that a node has begun: a node that starts takes an older one for lost. */
const BEGUN_EPOCH = 'alter table store_meta add column begun_epoch bigint not null default 0'

/**
 * The steps up to 0.3.0, as they were released: for databases of former programs, whose nodes may run beside this one in a rollout, and
 * call these functions. The first version that does not run beside 0.3.0 drops those of `FORMER_FUNCTIONS`, and takes no database over
 * that an earlier program has left.
 */
export const FORMER_STEPS: readonly Migration[] = [
  { version: 1, sql: INITIAL },
  { version: 2, sql: ANNOUNCED },
  { version: 3, sql: MOVED_FROM },
  { version: 4, sql: BOUNDS },
  { version: 5, sql: QUOTERS },
  { version: 6, sql: OWED },
  { version: 7, sql: BLOCKS },
  { version: 8, sql: PROTECTIONS },
  { version: 9, sql: ORDER_ENDS },
  { version: 10, sql: MAKER_RECORDS },
  { version: 11, sql: FEEDBACK },
  { version: 12, sql: TAKER_RATINGS },
  { version: 13, sql: DEFUNDED },
  { version: 14, sql: FIRM_QUOTES },
  { version: 15, sql: INCIDENTS },
  { version: 16, sql: PROVEN_TAKERS },
  { version: 17, sql: WENT_BACK },
  { version: 18, sql: TRADING_PROGRAMS },
  { version: 20, sql: SHARED_TIME },
  { version: 21, sql: CHOSEN_MAKER_IDS },
  { version: 22, sql: BEGUN_EPOCH },
]

/** The functions that former programs call, directly or not, and this one does not. */
export const FORMER_FUNCTIONS = [
  'allot_nonce',
  'exceeds',
  'fresh_nonce_base',
  'insert_acceptance',
  'insert_api_key',
  'insert_signed',
  'insert_unless_suspended',
  'is_protected',
  'is_suspended',
  'lock_nonces',
  'log_position',
  'log_timeline',
  'note_outcome',
  'observe_clock',
  'oldest_trading',
  'program_schema',
  'protection_refusal',
  'put_protections',
  'raw_ms',
  'refuse_former_program',
  'reset_protections',
  'settle_maker_id',
  'store_place',
] as const
