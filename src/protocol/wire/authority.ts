import type { Static } from 'typebox'
import * as Type from 'typebox'
import { AUTHORITY_KINDS, type AuthorityRecord, ROLES } from '../domain/authority.ts'
import * as field from './field.ts'
import { AnyAddressText, described, nullable, oneOf, UnixSeconds } from './schemas.ts'

const RoleText = oneOf(...ROLES)

const RoleField = described(RoleText, 'The role.', 'resolution_signer')

export const AuthorityFields = Type.Object({
  roles: described(
    Type.Array(
      Type.Object({
        role: RoleField,
        holder: nullable(described(AnyAddressText, 'Who holds the role; null while no one does.')),
        proposed: nullable(
          described(
            Type.Object({
              account: field.account,
              acceptableAt: described(
                UnixSeconds,
                'Time from which the role can be accepted, in Unix seconds.',
                1_800_259_200,
              ),
              lapsesAt: described(UnixSeconds, 'Time at which the proposal lapses, in Unix seconds.', 1_800_864_000),
            }),
            'Who is proposed for the role; null when no one is.',
          ),
        ),
      }),
    ),
    'Each role of the core.',
  ),
  events: described(
    Type.Array(
      Type.Object({
        kind: described(oneOf(...AUTHORITY_KINDS), field.kind),
        blockNumber: field.blockNumber,
        transactionHash: field.transactionHash,
        role: nullable(RoleField),
        account: nullable(field.account),
        seriesId: nullable(field.seriesId),
        resolutionBps: nullable(field.resolutionBps),
        effectiveAt: nullable(
          described(
            UnixSeconds,
            'Time from which what was proposed can be carried out, in Unix seconds; null for anything else.',
            1_800_259_200,
          ),
        ),
      }),
    ),
    'What those with a role did, oldest first.',
  ),
})

export const encodeAuthority = ({ roles, events }: AuthorityRecord): Static<typeof AuthorityFields> => ({
  roles: [...roles],
  events: [...events],
})

export const decodeAuthority = (fields: Static<typeof AuthorityFields>): AuthorityRecord => fields as AuthorityRecord
