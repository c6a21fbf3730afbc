/** The clock of the database's machine, Unix milliseconds with fractions. */
export const MACHINE_MS = '(extract(epoch from clock_timestamp()) * 1000)::double precision'

/** The name of the database in the path of any of its files. */
export const DATABASE_ID = `substring(pg_relation_filepath('store_meta') from '([0-9]+)/[0-9]+$')`

/** Whether the row of `store_meta` is as this server wrote it, in this database and since its start: its base of nonces is good. */
export const IS_OWN_ROW = `
  written_by = xmin and split_part(written_in, ' ', 1) = ${DATABASE_ID} and server_start = pg_postmaster_start_time()`

/** The timeline of the log; a server that does not tell of its log refuses it. */
export const TIMELINE = 'substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)'

/** The speed of the shared time while it is ahead. */
export const SLEW = 0.5

/**
 * The function `now_ms`, of a time that was `ahead` of the machine's clock when that showed `since`. It is written again with other
 * figures where the clock was set back: as a function without a look into a table it costs per row what the clock alone does.
 */
export const nowMs = (ahead: string, since: string): string => `
create or replace function now_ms() returns bigint language sql volatile as
'select floor(${MACHINE_MS} + greatest(0, ${ahead}::double precision - (${MACHINE_MS} - ${since}::double precision) * ${SLEW}))::bigint'`

/**
 * Now, and never before a request or an acceptance was made that has this body: a clock that was set back shows less until a node notices
 * (fault I19).
 */
export const nowFor = (body: string): string => `greatest(now_ms(), (${body} ->> 'createdAt')::bigint)`

/** The time that all nodes share, and that judges deadlines: it goes on as it is where the schema is there already. */
const SHARED_TIME = `
do $do$
begin
  execute (select format($now$${nowMs('%1$s', '%2$s')}$now$, ahead, since) from clock_slew);
end
$do$;
`

/**
 * The acceptance and its execution, if its maker has signed it, are written as decided, or nothing is. A function and not a statement: its
 * steps each see what the lock before them was waited for, so that all that the decision rests on is compared as it stands. First the row
 * of the wallet is locked, then that of the maker. Of the maker's suspension only the end is compared: nothing locks it.
 */
const APPLY_ACCEPTANCE = `
create function apply_acceptance(
  of_body jsonb, seen_owed bigint, seen_protections bigint, seen_used bigint, seen_until bigint, counted jsonb,
  of_execution text, of_signature text
) returns table (result text, at bigint) language plpgsql as
$$
declare
  of_id text := of_body ->> 'acceptanceId';
  of_request text := of_body ->> 'requestId';
  of_maker text := of_body ->> 'makerId';
  of_wallet text := lower(of_body #>> '{order,maker}');
  of_nonce bigint := (of_body #>> '{order,nonce}')::bigint;
  is_signed boolean := of_execution is not null;
  held nonces;
  guard maker_protections;
  now_base bigint;
  moment bigint;
  flushed text := current_setting('synchronous_commit');
begin
  -- What is refused has written locks at most, which need not be on disk.
  perform set_config('synchronous_commit', 'off', true);
  insert into nonces (wallet, next) values (of_wallet, 0) on conflict do nothing;
  select * into held from nonces where wallet = of_wallet for update;
  if not exists (select from requests where request_id = of_request and status = 'open' and pending_id is null) then
    return query select 'closed', null::bigint; return;
  end if;
  if held.version <> seen_owed then return query select 'outdated', null::bigint; return; end if;
  select * into guard from maker_protections where maker_id = of_maker for update;
  if coalesce(guard.version, 0) <> seen_protections
    or (select coalesce(max(seq), 0) from counted_acceptances where maker_id = of_maker) <> seen_used
    or (select until_ms from maker_suspensions where maker_id = of_maker) is distinct from seen_until
  then
    return query select 'changed', null::bigint; return;
  end if;
  moment := ${nowFor('of_body')};
  if is_signed and moment >= (of_body ->> 'deadline')::bigint then
    return query select 'late', null::bigint; return;
  end if;
  update requests set
    pending_id = case when not is_signed then of_id end,
    status = case when is_signed then 'committed' else status end,
    closed_at = case when is_signed then moment end
  where request_id = of_request and status = 'open' and pending_id is null;
  if not found then return query select 'closed', null::bigint; return; end if;
  perform set_config('synchronous_commit', flushed, true);

  -- The nonce comes with it, which may be lost when the server crashed after it was allotted: such a one is a few above the next.
  select nonce_base into now_base from store_meta;
  if held.base is null or held.base < now_base then held.base := now_base; held.next := now_base; end if;
  if of_nonce >= held.next and of_nonce < held.next + 65536 then held.next := of_nonce + 1; end if;
  update nonces set version = version + 1, base = held.base, next = held.next where wallet = of_wallet;
  insert into allotments values (of_request, of_wallet, of_nonce) on conflict do nothing;

  insert into acceptances
    (acceptance_id, request_id, quote_id, maker_id, wallet, valid_until_s, deadline, state, ended_at, body)
  values (
    of_id, of_request, of_body ->> 'quoteId', of_maker, of_wallet, (of_body #>> '{order,validUntil}')::bigint,
    (of_body ->> 'deadline')::bigint, case when is_signed then 'confirmed' else 'pending' end,
    case when is_signed then moment end, of_body
  );
  if counted is not null then
    insert into counted_acceptances (acceptance_id, maker_id, at, amounts) values (of_id, of_maker, moment, counted);
  end if;
  if is_signed then
    insert into executions (execution_id, request_id, acceptance_id, maker_id, quote_id, signature, executed_at)
    values (of_execution, of_request, of_id, of_maker, of_body ->> 'quoteId', of_signature, moment);
  end if;
  return query select 'applied', moment;
end
$$;
`

/** Settles an acceptance, under the lock of its wallet's row. A second is allowed for: an acceptance is made a little before what its wallet owes is read. */
const CONFIRM_ACCEPTANCE = `
create or replace function confirm_acceptance(of_id text, of_execution text, of_signature text, seen bigint)
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
  update acceptances set state = 'confirmed', ended_at = ${nowFor('acceptances.body')}
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

/**
 * The store notices by itself that it went back in time, in whatever writes to `store_meta`: a row that a restore has put there has
 * another `xmin` than it says, a copy is of another database, and a standby that was promoted has another timeline. Then streams go on
 * above the epochs that were forgotten, and nonces from a base that no one has had: the seconds since 1970 times 2^20 and 20 random
 * bits, always of a later second than the one before. A restart of the server by itself only takes another base.
 *
 * Whoever writes to the row by hand need not have its schema in the search path. Some managed servers do not tell of their log; where
 * one fails over, what takes its place has the same disk.
 */
const RENEW_STORE_META = `
create or replace function renew_store_meta() returns trigger language plpgsql set search_path from current as
$$
declare
  place text := ${DATABASE_ID} || ' ';
  went_back boolean;
  former_base bigint;
begin
  begin
    place := place || ${TIMELINE};
  exception when others then null;
  end;
  if tg_op = 'INSERT' then
    -- A row that says who wrote it is a copy.
    went_back := new.written_by is not null;
  else
    went_back := old.written_by is distinct from old.xmin or new.written_in is distinct from place;
  end if;
  if tg_op = 'UPDATE' then former_base := old.nonce_base; end if;
  if went_back or new.server_start is distinct from pg_postmaster_start_time() or new.nonce_base is distinct from former_base then
    new.nonce_base :=
      greatest(now_ms() / 1000, coalesce(former_base, new.nonce_base) / 1048576 + 1) * 1048576
      + floor(random() * 1048576)::bigint;
  end if;
  if went_back then
    new.stream_epoch := greatest(new.stream_epoch, (now_ms() - 1767225600000) / 60000) + 100;
    new.lowest_epoch := new.stream_epoch;
  end if;
  new.written_by := pg_current_xact_id()::xid;
  new.written_in := place;
  new.server_start := pg_postmaster_start_time();
  return new;
end
$$;
create or replace trigger renew_store_meta before insert or update on store_meta
  for each row execute function renew_store_meta();
`

/** The functions of this program. Its other steps are statements of the adapter, or decided by the domain. */
export const FUNCTIONS = `${SHARED_TIME}${APPLY_ACCEPTANCE}${CONFIRM_ACCEPTANCE}${RENEW_STORE_META}`
