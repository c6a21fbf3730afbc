// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IRoles
/// @notice The owner proposes the holders of roles. A new owner, guardian or resolution signer takes over no sooner than 3 days
/// after its proposal and no later than 7 days after that, by a call of its own; until then the proposal can be revoked. The
/// registrar changes nothing that exists and the halter stops trading alone, so that the owner sets both at once.
interface IRoles {
    /// @notice Owner: appoints, resumes, names prices by hand. Guardian: halts, vetoes and revokes. ResolutionSigner:
    /// attests prices. Registrar: registers series, as the owner may too. Halter: halts, and nothing else.
    enum Role {
        Owner,
        Guardian,
        ResolutionSigner,
        Registrar,
        Halter
    }

    /// @notice The owner proposed an account for a role, in place of an earlier proposal.
    /// @param role Role.
    /// @param account Account that was proposed.
    /// @param acceptableAt Unix seconds from which the proposal can be confirmed.
    /// @param lapsesAt Last second at which it can be confirmed.
    event RoleProposed(Role indexed role, address indexed account, uint64 acceptableAt, uint64 lapsesAt);
    /// @notice A role got a new holder.
    /// @param role Role.
    /// @param previous Former holder; zero for the first holder and after a revocation.
    /// @param holder New holder.
    event RoleChanged(Role indexed role, address indexed previous, address indexed holder);
    /// @notice An account lost its proposal for a role, or the active resolution signer lost its role.
    /// @param role Role.
    /// @param account Account that was revoked.
    /// @param inOffice Whether it was the active resolution signer.
    event RoleRevoked(Role indexed role, address indexed account, bool inOffice);

    /// @notice The call is restricted to the holder of `role`, and to the owner where the owner may too.
    /// @param role Role that the call needs.
    /// @param caller Account that called.
    error NotInRole(Role role, address caller);
    /// @notice The address must not be zero.
    error AddressZero();
    /// @notice The role is not proposed: the owner sets it at once.
    /// @param role Role that was given.
    error RoleIsSetAtOnce(Role role);
    /// @notice The role is not set at once: the owner proposes its holder.
    /// @param role Role that was given.
    error RoleIsProposed(Role role);
    /// @notice A proposed account takes its role by itself.
    /// @param role Role that is proposed.
    /// @param caller Account that called.
    error NotProposed(Role role, address caller);
    /// @notice No account is proposed for this role.
    /// @param role Role.
    error ProposalMissing(Role role);
    /// @notice The call is too early.
    /// @param earliest First second at which it succeeds.
    /// @param timestamp Time of the block.
    error TooEarly(uint256 earliest, uint256 timestamp);
    /// @notice The proposal has lapsed and must be made again.
    /// @param latest Last second at which it counted.
    /// @param timestamp Time of the block.
    error TooLate(uint256 latest, uint256 timestamp);
    /// @notice The account is neither proposed for the role nor the active resolution signer.
    /// @param role Role.
    /// @param account Account that was given.
    error NothingToRevoke(Role role, address account);
    /// @notice An address that was revoked as resolution signer cannot be one again: its old signatures would count.
    /// @param signer Address that was given.
    error SignerWasRevoked(address signer);

    /// @notice Proposes the next owner, guardian or resolution signer. Owner only.
    /// @param role Role, not that of the registrar or halter.
    /// @param account Account to propose.
    function proposeRole(Role role, address account) external;

    /// @notice Takes the role, from 3 to 10 days after the proposal. The proposed account alone, which thereby shows that it can
    /// act. Attestations that a former signer has signed are void from then on; prices that it has booked stay.
    /// @param role Role.
    function confirmRole(Role role) external;

    /// @notice Revokes a proposal, or the active resolution signer at once, with every price of its term that is not final.
    /// Owner; guardian for every role but its own.
    /// @param role Role.
    /// @param account Account to revoke.
    function removeFromRole(Role role, address account) external;

    /// @notice Sets the registrar or the halter, at once. Owner only.
    /// @param role `Registrar` or `Halter`.
    /// @param account Holder; the zero address for none, since the owner may do what both may.
    function setRole(Role role, address account) external;

    /// @notice Owner and guardian always exist; the other roles may be vacant.
    /// @param role Role.
    /// @return Holder of the role; zero without one.
    function holderOf(Role role) external view returns (address);

    /// @notice The owner holds `Role.Owner`.
    /// @return Address of the owner.
    function owner() external view returns (address);

    /// @notice The active resolution signer holds `Role.ResolutionSigner`.
    /// @return Address of the signer; zero after a revocation.
    function resolutionSigner() external view returns (address);

    /// @notice The role of the resolution signer is vacant since this second.
    /// @return Unix seconds; 0 while there is an active signer.
    function signerVacantSince() external view returns (uint64);

    /// @notice Each appointment of a resolution signer starts a term.
    /// @return Number of the last term, from 1.
    function signerTerm() external view returns (uint32);

    /// @notice A revocation of the active signer ends its term, and voids the prices of the term that are not final by then.
    /// @param term Number of a term.
    /// @return Unix seconds; 0 for a term that was not revoked.
    function termRevokedAt(uint32 term) external view returns (uint64);

    /// @notice An address that was revoked as resolution signer, active or proposed, cannot be one again.
    /// @param signer Address.
    /// @return Whether it was ever revoked.
    function wasSignerRevoked(address signer) external view returns (bool);

    /// @notice A proposal can be confirmed from `acceptableAt` to `lapsesAt`.
    /// @param role Role.
    /// @return account Account that is proposed; zero without a proposal.
    /// @return acceptableAt Unix seconds from which it can be confirmed.
    /// @return lapsesAt Last second at which it can be confirmed.
    function pendingRole(Role role) external view returns (address account, uint64 acceptableAt, uint64 lapsesAt);
}
