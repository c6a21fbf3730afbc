import Type, { type Static } from 'typebox'
import { AUTHORITY_KINDS, type AuthorityStanding, ROLES } from '../domain/authority.ts'
import {
  AnyAddressText,
  Bytes32Text,
  Count,
  nullable,
  oneOf,
  ResolutionPrice,
  Uint256Text,
  UnixSeconds,
} from './schemas.ts'

const RoleText = oneOf(...ROLES)

/** The roles on chain and their recent events. */
export const AuthorityFields = Type.Object({
  roles: Type.Array(
    Type.Object({
      role: RoleText,
      holder: nullable(AnyAddressText),
      proposed: nullable(Type.Object({ account: AnyAddressText, acceptableAt: UnixSeconds, lapsesAt: UnixSeconds })),
    }),
  ),
  events: Type.Array(
    Type.Object({
      kind: oneOf(...AUTHORITY_KINDS),
      blockNumber: Count,
      transactionHash: Bytes32Text,
      role: nullable(RoleText),
      account: nullable(AnyAddressText),
      seriesId: nullable(Uint256Text),
      resolutionBps: nullable(ResolutionPrice),
      effectiveAt: nullable(UnixSeconds),
    }),
  ),
})

/** Writes the roles on chain and their recent events. */
export const encodeAuthority = ({ roles, events }: AuthorityStanding): Static<typeof AuthorityFields> => ({
  roles: [...roles],
  events: [...events],
})

/** Reads the roles on chain and their recent events from fields of a checked schema. */
export const decodeAuthority = (fields: Static<typeof AuthorityFields>): AuthorityStanding =>
  fields as AuthorityStanding
