import { type ReactNode, type SyntheticEvent, useState } from 'react'
import { Button } from '../parts/Button.tsx'
import { Field } from '../parts/Field.tsx'
import { TopBar } from '../parts/TopBar.tsx'

/** Characters: the relay accepts no longer token in a header. */
const MAX_LENGTH = 1_024

/** The token stays in this tab, and goes only to the relay that served the page. */
export function TokenForm({ onToken }: { onToken: (token: string) => void }): ReactNode {
  const [token, setToken] = useState('')
  const submit = (event: SyntheticEvent) => {
    event.preventDefault()
    if (token.trim() !== '') onToken(token.trim())
  }
  return (
    <form className="ops-token stack" onSubmit={submit}>
      <Field
        label="Operator token"
        type="password"
        value={token}
        onChange={setToken}
        maxLength={MAX_LENGTH}
        hint="It stays in this tab and is sent to this relay only."
      />
      <Button type="submit" kind="primary" isDisabled={token.trim() === ''}>
        Watch this relay
      </Button>
    </form>
  )
}

export const SignIn = ({ onToken }: { onToken: (token: string) => void }): ReactNode => (
  <div className="ops">
    <TopBar here="operate" />
    <main id="main" className="ops-body">
      <div className="panel empty">
        <h1 className="empty-title">Watch this relay</h1>
        <p>Requests, makers, confirmations, settlement and health, live. It is read-only.</p>
        <TokenForm onToken={onToken} />
        <p>On the machine of the relay, this command opens the page signed in:</p>
        <code>rfqctl dashboard --web</code>
      </div>
    </main>
  </div>
)
