import Type, { type Static } from 'typebox'
import { ATTESTATION_TYPES, type PreparedSettlement } from '../domain/attestation.ts'
import { parseUint256, type SeriesId } from '../domain/series.ts'
import type { Hex, ResolutionBps } from '../domain/units.ts'
import { DomainFields, decodeDomain, StructFields } from './order.ts'
import { createBodyReader, createReader, invalidField } from './reader.ts'
import { Count, Dollars, HexText, oneOf, ResolutionPrice, successOf, Uint256Text, UnixSeconds } from './schemas.ts'

const UINT256 = 'a uint256 in decimal or 0x-hex'

/** A series id of either form. */
const SeriesIdInput = Type.String({ pattern: '^([0-9]{1,100}|0[xX][0-9a-fA-F]{1,64})$', must: UINT256 })

/** Which series is to be settled, as decimal or hex. */
export const PrepareBody = Type.Object({ seriesId: SeriesIdInput })

/** A signed resolution with what verifies it (decisions S1, S2); `maxGapS` of an average only. */
export const PreparedAnswer = successOf({
  seriesId: Uint256Text,
  resolutionBps: ResolutionPrice,
  validUntil: UnixSeconds,
  signature: HexText,
  meta: Type.Object({
    method: oneOf('outcome', 'twap', 'manual'),
    twap: Dollars,
    pointCount: Count,
    yesPrice: Dollars,
    windowStart: UnixSeconds,
    windowEnd: UnixSeconds,
    maxGapS: Type.Optional(Count),
  }),
  domain: DomainFields,
  types: Type.Object({ SettlementAttestation: StructFields }),
})

const readPrepare = createBodyReader(PrepareBody)
const readPrepared = createReader(PreparedAnswer, 'the answer')

const TYPE_LIST: Static<typeof PreparedAnswer>['types'] = {
  SettlementAttestation: ATTESTATION_TYPES.SettlementAttestation.map((field) => ({ ...field })),
}

/** The series that is to be resolved, from its decimal or hex id. */
export function decodePrepare(body: unknown): SeriesId {
  const { seriesId } = readPrepare(body)
  const id = parseUint256(seriesId)
  if (id === null) throw invalidField('seriesId', UINT256, seriesId)
  return id
}

/** The body that asks for a resolution. */
export const encodePrepare = (seriesId: SeriesId): Static<typeof PrepareBody> => ({ seriesId })

/** A signed resolution, ready to be relayed on chain. */
export function encodePrepared(prepared: PreparedSettlement): Static<typeof PreparedAnswer> {
  const { attestation, signature, meta, domain } = prepared
  const { seriesId, resolutionBps, validUntil } = attestation
  return { success: true, seriesId, resolutionBps, validUntil, signature, meta, domain, types: TYPE_LIST }
}

/** A signed resolution, ready to be relayed on chain. */
export function decodePrepared(answer: unknown): PreparedSettlement {
  const { seriesId, resolutionBps, validUntil, signature, meta, domain } = readPrepared(answer)
  return {
    attestation: { seriesId, resolutionBps: resolutionBps as ResolutionBps, validUntil },
    signature: signature as Hex,
    meta,
    domain: decodeDomain(domain),
  }
}
