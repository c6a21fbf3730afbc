// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Who may do what to series, and how that changes
/// @notice The owner proposes who shall hold a role. A new owner, guardian or resolution signer takes over no sooner than
/// 3 days after it was proposed and no later than 7 days after that; until then the proposal can be revoked. The
/// registrar can touch nothing that exists, and so changes at once.
interface IRoles {
    /// @notice Owner: appoints, resumes, names prices by hand. Guardian: halts, vetoes and revokes. ResolutionSigner:
    /// attests prices. Registrar: registers series, as the owner may too.
    enum Role {
        Owner,
        Guardian,
        ResolutionSigner,
        Registrar
    }

    /// @notice An account was proposed for a role; it can be accepted from `acceptableAt` to `lapsesAt` (Unix seconds). It
    /// replaces an earlier proposal for the role.
    event RoleProposed(Role indexed role, address indexed account, uint64 acceptableAt, uint64 lapsesAt);
    /// @notice A role changed hands; `previous` is zero for the first holder and after a revocation.
    event RoleChanged(Role indexed role, address indexed previous, address indexed holder);
    /// @notice An account lost its proposal for a role or, a resolution signer with `inOffice`, the role itself.
    event RoleRevoked(Role indexed role, address indexed account, bool inOffice);

    /// @notice Only a holder of `role` may do this, or the owner where it may too.
    error NotInRole(Role role, address caller);
    /// @notice An account that must be somebody is the zero address.
    error AddressZero();
    /// @notice The registrar is not proposed: the owner sets it at once.
    error RegistrarIsSet();
    /// @notice Nobody is proposed for this role.
    error ProposalMissing(Role role);
    /// @notice A step may not be taken before `earliest` (Unix seconds).
    error TooEarly(uint256 earliest, uint256 timestamp);
    /// @notice A proposal lapsed after `latest` (Unix seconds) and has to be made again.
    error TooLate(uint256 latest, uint256 timestamp);
    /// @notice The account is not proposed for the role, nor is it the resolution signer in office.
    error NothingToRevoke(Role role, address account);
    /// @notice An address that was revoked as resolution signer is never one again: its old signatures would count.
    error SignerWasRevoked(address signer);

    /// @notice Proposes the next owner, guardian or resolution signer. Owner only.
    function proposeRole(Role role, address account) external;

    /// @notice Puts the proposed account in the role, from 3 to 10 days after it was proposed. A new owner accepts by
    /// itself; for a guardian or resolution signer the owner accepts. Attestations of a former signer are void from then on.
    function confirmRole(Role role) external;

    /// @notice Takes a proposal back; removes the resolution signer at once. Owner, or guardian but for the guardian's role.
    function removeFromRole(Role role, address account) external;

    /// @notice Names who registers series besides the owner, at once; the zero address for nobody. Owner only.
    function setRegistrar(address account) external;

    /// @notice Who holds a role: there is always an owner and a guardian, not always a registrar and a resolution signer.
    function holderOf(Role role) external view returns (address);

    /// @notice Holder of `Role.Owner`.
    function owner() external view returns (address);

    /// @notice Holder of `Role.ResolutionSigner`; zero after a revocation.
    function resolutionSigner() external view returns (address);

    /// @notice Since when there is no resolution signer (Unix seconds); 0 while there is one.
    function signerVacantSince() external view returns (uint64);

    /// @notice Whether the address was ever revoked as resolution signer, in office or proposed.
    function wasSignerRevoked(address signer) external view returns (bool);

    /// @notice Who is proposed for a role, and from when to when it can be accepted (Unix seconds); zeros for nobody.
    function pendingRole(Role role) external view returns (address account, uint64 acceptableAt, uint64 lapsesAt);
}
