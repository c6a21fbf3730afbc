import Type from 'typebox'
import { expect, test } from 'vitest'
import { described, Text } from '../../../src/protocol/wire/schemas.ts'

test('a described schema is a copy that checks the same, and stays optional', () => {
  const field = described(Type.Optional(Text), 'A name.', 'ada')
  expect(field).toEqual({ ...Text, description: 'A name.', examples: ['ada'] })
  expect(Text).not.toHaveProperty('description')
  expect(Type.Object({ field })).not.toHaveProperty('required')
})

test('a meaning is taken over from another schema', () => {
  const name = described(Text, 'A name.', 'ada')
  expect(described(Type.Integer(), name)).toEqual({ type: 'integer', description: 'A name.', examples: ['ada'] })
})
