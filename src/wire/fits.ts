import { Check } from 'typebox/value'
import type { JsonSchema } from './reader.ts'

/** Whether a value has the shape of a schema, looked at without compiling it: for what is asked once. */
export const fits = (schema: JsonSchema, value: unknown): boolean => Check(schema, value)
