import type { Static } from 'typebox'
import * as Type from 'typebox'
import { ATTESTATION_TYPES, type PreparedSettlement } from '../domain/attestation.ts'
import { parseUint256, type SeriesId } from '../domain/series.ts'
import type { Hex, ResolutionBps } from '../domain/units.ts'
import * as field from './field.ts'
import { DomainFields, decodeDomain, OrderTypes, structOf } from './order.ts'
import { createBodyReader, createReader, invalidField } from './reader.ts'
import { Dollars, described, HexText, successOf } from './schemas.ts'

const UINT256 = 'a uint256 in decimal or 0x-hex'

/** A series id of either form. */
const SeriesIdInput = Type.String({ pattern: '^([0-9]{1,100}|0[xX][0-9a-fA-F]{1,64})$', must: UINT256 })

/** Which series is to be settled, as decimal or hex. */
export const PrepareBody = Type.Object({ seriesId: described(SeriesIdInput, field.seriesId) })

/** A signed resolution with what verifies it (decisions S1, S2); `maxGapS` of an average only. */
export const PreparedAnswer = successOf({
  seriesId: field.seriesId,
  resolutionBps: field.resolutionBps,
  validUntil: field.validUntil,
  signature: described(HexText, field.signature),
  meta: described(
    Type.Object({
      method: field.method,
      twap: field.twap,
      pointCount: field.pointCount,
      yesPrice: described(
        Dollars,
        'Price that the resolution is rounded from, dollars: the outcome, the average, or what an operator decided.',
        0.5884,
      ),
      windowStart: field.windowStart,
      windowEnd: field.windowEnd,
      maxGapS: Type.Optional(field.maxGapS),
    }),
    'How the price was found.',
  ),
  domain: DomainFields,
  types: described(
    Type.Object({ SettlementAttestation: structOf(ATTESTATION_TYPES.SettlementAttestation) }),
    OrderTypes,
  ),
})

const readPrepare = createBodyReader(PrepareBody)
const readPrepared = createReader(PreparedAnswer, 'the answer')

const TYPE_LIST: Static<typeof PreparedAnswer>['types'] = {
  SettlementAttestation: ATTESTATION_TYPES.SettlementAttestation.map((field) => ({ ...field })),
}

export function decodePrepare(body: unknown): SeriesId {
  const { seriesId } = readPrepare(body)
  const id = parseUint256(seriesId)
  if (id === null) throw invalidField('seriesId', UINT256, seriesId)
  return id
}

export const encodePrepare = (seriesId: SeriesId): Static<typeof PrepareBody> => ({ seriesId })

export function encodePrepared(prepared: PreparedSettlement): Static<typeof PreparedAnswer> {
  const { attestation, signature, meta, domain } = prepared
  const { seriesId, resolutionBps, validUntil } = attestation
  return { success: true, seriesId, resolutionBps, validUntil, signature, meta, domain, types: TYPE_LIST }
}

export function decodePrepared(answer: unknown): PreparedSettlement {
  const { seriesId, resolutionBps, validUntil, signature, meta, domain } = readPrepared(answer)
  return {
    attestation: { seriesId, resolutionBps: resolutionBps as ResolutionBps, validUntil },
    signature: signature as Hex,
    meta,
    domain: decodeDomain(domain),
  }
}
