/** Why a deployment cannot go on now. */
export type DeploymentFault = 'busy' | 'different' | 'stuck' | 'unmined' | 'reverted'

/** A deployment that was cut off; what was done so far stands, and can be gone on with. */
export class DeploymentError extends Error {
  override readonly name = 'DeploymentError'
  readonly fault: DeploymentFault
  /** Further sentences, with figures. */
  readonly why: readonly string[]

  constructor(fault: DeploymentFault, message: string, why: readonly string[] = []) {
    super(message)
    this.fault = fault
    this.why = why
  }
}
