import { type ReactNode, useCallback, useState } from 'react'
import { Button } from '../parts/Button.tsx'
import { useOperate } from './live.ts'
import { Operate } from './Operate.tsx'
import { SignIn, TokenForm } from './SignIn.tsx'
import { keepToken, takeToken } from './token.ts'
import './operate.css'

export function OperatePage(): ReactNode {
  const [session, setSession] = useState(() => ({
    token: takeToken({ storage: sessionStorage, location, history }),
    attempt: 0,
  }))
  const start = useCallback((token: string | null) => {
    keepToken({ storage: sessionStorage }, token)
    setSession(({ attempt }) => ({ token, attempt: attempt + 1 }))
  }, [])
  const { token, attempt } = session
  if (token === null) return <SignIn onToken={start} />
  return <Live key={attempt} token={token} start={start} />
}

function Live({ token, start }: { token: string; start: (token: string | null) => void }): ReactNode {
  const signOut = useCallback(() => start(null), [start])
  const { state, act } = useOperate(token, signOut)
  const isUnauthorised = state.link.kind === 'refused' && state.link.isUnauthorised
  const retry = isUnauthorised ? <TokenForm onToken={start} /> : <Button onPress={() => start(token)}>Try again</Button>
  return <Operate state={state} act={act} retry={retry} />
}
