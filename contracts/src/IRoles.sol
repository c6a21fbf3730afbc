// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IRoles
/// @notice The owner proposes the holders of roles. A new owner, guardian or resolution signer takes over no sooner than 3 days
/// after its proposal and no later than 7 days after that; until then the proposal can be revoked. The registrar can change
/// nothing that exists, and is therefore replaced at once.
interface IRoles {
    /// @notice Owner: appoints, resumes, names prices by hand. Guardian: halts, vetoes and revokes. ResolutionSigner:
    /// attests prices. Registrar: registers series, as the owner may too.
    enum Role {
        Owner,
        Guardian,
        ResolutionSigner,
        Registrar
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
    /// @notice The registrar is not proposed: the owner sets it at once.
    error RegistrarIsSet();
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
    /// @param role Role, not that of the registrar.
    /// @param account Account to propose.
    function proposeRole(Role role, address account) external;

    /// @notice Puts the proposed account in the role, from 3 to 10 days after it was proposed. A new owner accepts by
    /// itself; for a guardian or resolution signer the owner accepts. Attestations of a former signer are void from then on.
    /// @param role Role.
    function confirmRole(Role role) external;

    /// @notice Revokes a proposal, or the active resolution signer at once. Owner; guardian for every role but its own.
    /// @param role Role.
    /// @param account Account to revoke.
    function removeFromRole(Role role, address account) external;

    /// @notice Sets the account that registers series besides the owner, at once. Owner only.
    /// @param account Registrar; the zero address for the owner alone.
    function setRegistrar(address account) external;

    /// @notice Owner and guardian always exist; a registrar and a resolution signer may be missing.
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
