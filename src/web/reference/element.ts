type Child = Node | string

/** Strings stay text, even a stranger's. */
export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

export function button(
  text: string,
  onClick: () => void,
  attributes: Readonly<Record<string, string>> = {},
): HTMLButtonElement {
  const made = element('button', { type: 'button', ...attributes }, text)
  made.addEventListener('click', onClick)
  return made
}

export function copyButton(textOf: () => string): HTMLButtonElement {
  const made = button(
    'Copy',
    () => {
      // A page without a secure origin has no clipboard; the text can still be selected.
      const copied = navigator.clipboard?.writeText(textOf()) ?? Promise.reject(new Error('no clipboard'))
      copied.then(
        () => say('Copied'),
        () => say('Select it and copy by hand'),
      )
    },
    { class: 'quiet' },
  )
  const say = (text: string) => {
    made.textContent = text
    setTimeout(() => (made.textContent = 'Copy'), 2_000)
  }
  return made
}
