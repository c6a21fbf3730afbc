// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "./IRoles.sol";

/// @title Roles
/// @notice A new holder of a role waits for three days, and a proposal or a signer is revoked at once. A thief of the owner's
/// key therefore appoints no one for three days, in which the guardian can revoke. The owner replaces a guardian that blocks
/// everything, and the guardian cannot revoke that.
abstract contract Roles is IRoles {
    /// @dev A proposed account can take its role after this notice.
    uint64 private constant ROLE_DELAY = 3 days;
    /// @dev It can take the role in this time after the notice; then it must be proposed again.
    uint64 private constant ROLE_GRACE = 7 days;

    /// @notice The owner proposed this account for a role.
    /// @param account Proposed account; zero without a proposal.
    /// @param acceptableAt Unix seconds from which it can take the role.
    struct Proposal {
        address account;
        uint64 acceptableAt;
    }

    /// @inheritdoc IRoles
    address public resolutionSigner;
    /// @inheritdoc IRoles
    uint64 public signerVacantSince;
    /// @inheritdoc IRoles
    uint32 public signerTerm;
    /// @inheritdoc IRoles
    address public owner;
    address internal _guardian;

    mapping(Role => Proposal) private _proposals;
    /// @inheritdoc IRoles
    mapping(address signer => bool) public wasSignerRevoked;
    /// @inheritdoc IRoles
    mapping(uint32 term => uint64) public termRevokedAt;

    address internal _halter;
    /// @dev This is the last variable of the contract, so that what `createSeries` reads too shares its word.
    address internal _registrar;

    /// @notice Appoints the first holders of all roles, without notice.
    /// @param owner_ Owner, not zero.
    /// @param guardian_ Guardian, not zero.
    /// @param resolutionSigner_ Key or contract (ERC-1271) that attests prices, not zero.
    /// @param registrar_ Registrar; zero for none.
    /// @param halter_ Halter; zero for none.
    constructor(address owner_, address guardian_, address resolutionSigner_, address registrar_, address halter_) {
        _appoint(Role.Owner, owner_);
        _appoint(Role.Guardian, guardian_);
        _appoint(Role.ResolutionSigner, resolutionSigner_);
        _set(Role.Registrar, registrar_);
        _set(Role.Halter, halter_);
    }

    modifier onlyOwner() {
        if (msg.sender != owner) revert NotInRole(Role.Owner, msg.sender);
        _;
    }

    /// @inheritdoc IRoles
    function proposeRole(Role role, address account) external onlyOwner {
        if (_isSetAtOnce(role)) revert RoleIsSetAtOnce(role);
        if (account == address(0)) revert AddressZero();
        if (role == Role.ResolutionSigner && wasSignerRevoked[account]) revert SignerWasRevoked(account);
        uint64 acceptableAt = uint64(block.timestamp) + ROLE_DELAY;
        _proposals[role] = Proposal(account, acceptableAt);
        emit RoleProposed(role, account, acceptableAt, acceptableAt + ROLE_GRACE);
    }

    /// @inheritdoc IRoles
    function confirmRole(Role role) external {
        Proposal memory proposal = _proposals[role];
        if (proposal.account == address(0)) revert ProposalMissing(role);
        if (msg.sender != proposal.account) revert NotProposed(role, msg.sender);
        if (block.timestamp < proposal.acceptableAt) revert TooEarly(proposal.acceptableAt, block.timestamp);
        uint256 lapsesAt = proposal.acceptableAt + ROLE_GRACE;
        if (block.timestamp > lapsesAt) revert TooLate(lapsesAt, block.timestamp);
        delete _proposals[role];
        _appoint(role, proposal.account);
    }

    /// @inheritdoc IRoles
    function removeFromRole(Role role, address account) external {
        bool isGuardian = msg.sender == _guardian && role != Role.Guardian;
        if (msg.sender != owner && !isGuardian) revert NotInRole(Role.Guardian, msg.sender);
        bool isActive = role == Role.ResolutionSigner && account == resolutionSigner;
        bool isProposed = account == _proposals[role].account;
        if (account == address(0) || !(isActive || isProposed)) revert NothingToRevoke(role, account);
        if (isProposed) delete _proposals[role];
        if (isActive) {
            delete resolutionSigner;
            signerVacantSince = uint64(block.timestamp);
            termRevokedAt[signerTerm] = uint64(block.timestamp);
        }
        if (role == Role.ResolutionSigner) wasSignerRevoked[account] = true;
        emit RoleRevoked(role, account, isActive);
    }

    /// @inheritdoc IRoles
    function setRole(Role role, address account) external onlyOwner {
        if (!_isSetAtOnce(role)) revert RoleIsProposed(role);
        _set(role, account);
    }

    /// @inheritdoc IRoles
    function holderOf(Role role) external view returns (address) {
        if (role == Role.Owner) return owner;
        if (role == Role.Guardian) return _guardian;
        if (role == Role.ResolutionSigner) return resolutionSigner;
        return role == Role.Registrar ? _registrar : _halter;
    }

    /// @inheritdoc IRoles
    function pendingRole(Role role) external view returns (address account, uint64 acceptableAt, uint64 lapsesAt) {
        Proposal memory proposal = _proposals[role];
        if (proposal.account == address(0)) return (address(0), 0, 0);
        return (proposal.account, proposal.acceptableAt, proposal.acceptableAt + ROLE_GRACE);
    }

    function _appoint(Role role, address account) private {
        if (account == address(0)) revert AddressZero();
        address previous;
        if (role == Role.Owner) {
            (previous, owner) = (owner, account);
        } else if (role == Role.Guardian) {
            (previous, _guardian) = (_guardian, account);
        } else {
            (previous, resolutionSigner) = (resolutionSigner, account);
            delete signerVacantSince;
            ++signerTerm;
        }
        emit RoleChanged(role, previous, account);
    }

    function _set(Role role, address account) private {
        address previous;
        if (role == Role.Registrar) (previous, _registrar) = (_registrar, account);
        else (previous, _halter) = (_halter, account);
        emit RoleChanged(role, previous, account);
    }

    function _isSetAtOnce(Role role) private pure returns (bool) {
        return role == Role.Registrar || role == Role.Halter;
    }
}
