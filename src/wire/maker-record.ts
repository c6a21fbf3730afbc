import Type from 'typebox'
import type { MakerOutcomeKind } from '../domain/maker-record.ts'
import { IsoTime, oneOf, Text } from './schemas.ts'

/** What a maker did, and with which quote. */
const OutcomeFields = Type.Object({
  at: IsoTime,
  kind: oneOf<MakerOutcomeKind>(
    'confirmed',
    'missed',
    'declined',
    'insolvent',
    'bad_signature',
    'cancelled',
    'defunded',
  ),
  requestId: Text,
  quoteId: Text,
})

/** Until when a maker is suspended, and which outcomes it is for, oldest first. */
export const SuspensionFields = { until: IsoTime, because: Type.Array(OutcomeFields) }
