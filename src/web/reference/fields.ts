import { nameInAnswers } from './answer.ts'
import { type Filled, keyOf } from './call.ts'
import type { Credentials } from './credentials.ts'
import type { Operation, Parameter } from './documents.ts'
import { element } from './element.ts'

export type Fields = { elements: readonly HTMLElement[]; filled: () => Filled; setBody: (body: unknown) => void }

export type Sources = { credentials: Credentials; remembered: Map<string, string> }

export function createFields(operation: Operation, { credentials, remembered }: Sources): Fields {
  const { id, parameters, schemes, body } = operation
  const inputs = new Map(
    parameters.map((parameter) => {
      const input = inputOf(parameter)
      input.value = remembered.get(nameInAnswers(operation.path, parameter.name)) ?? ''
      return [keyOf(parameter), input]
    }),
  )
  const secrets = new Map(
    schemes.map((scheme) => {
      const input = element('input', { type: 'password', autocomplete: 'off', spellcheck: 'false' })
      input.dataset.credential = scheme.id
      input.value = credentials.get(scheme.id)
      input.addEventListener('change', () => credentials.set(scheme.id, input.value.trim()))
      return [scheme.id, input]
    }),
  )
  const text = element('textarea', { rows: '10', spellcheck: 'false', autocomplete: 'off' })
  const setBody = (value: unknown) => {
    text.value = JSON.stringify(value, null, 2)
    text.rows = Math.min(24, text.value.split('\n').length + 1)
  }
  setBody(body ?? {})
  const label = (input: HTMLElement, name: string, note: string) => {
    input.id = `try-${id}-${name}`
    return element(
      'div',
      { class: 'field' },
      element('label', { for: input.id }, element('code', {}, name), ' ', element('small', {}, note)),
      input,
    )
  }
  return {
    elements: [
      ...[...secrets].map(([scheme, input]) =>
        label(
          input,
          scheme,
          operation.isOptional ? 'credential, optional; kept in this tab' : 'credential; kept in this tab',
        ),
      ),
      ...parameters.map((one) =>
        label(inputs.get(keyOf(one)) as HTMLElement, one.name, `${one.in}${one.required ? '' : ', optional'}`),
      ),
      ...(body === undefined ? [] : [label(text, 'body', 'application/json')]),
    ],
    filled: () => ({ parameters: valuesOf(inputs), credentials: valuesOf(secrets), body: text.value }),
    setBody,
  }
}

const valuesOf = (inputs: ReadonlyMap<string, { value: string }>): Record<string, string> =>
  Object.fromEntries([...inputs].map(([key, { value }]) => [key, value]))

function inputOf({ schema, example }: Parameter): HTMLInputElement | HTMLSelectElement {
  if (schema.enum !== undefined) {
    const options = ['', ...schema.enum.map(String)]
    return element('select', {}, ...options.map((value) => element('option', { value }, value)))
  }
  return element('input', {
    type: 'text',
    placeholder: String(example ?? ''),
    autocomplete: 'off',
    spellcheck: 'false',
  })
}
