// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "./IServiceCore.sol";
import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";

/// @title Who may name a resolution price
/// @notice The signer is replaced slowly, so that an owner's key cannot name a price overnight, and removed at once, so
/// that a leaked signer's key cannot either.
abstract contract ResolutionAuthority is IServiceCore, Ownable2Step {
    /// @notice Notice given before a new signer takes office.
    uint64 public constant SIGNER_DELAY = 3 days;

    struct PendingSigner {
        address signer;
        uint64 acceptableAt;
    }

    /// @inheritdoc IServiceCore
    address public resolutionSigner;

    /// @inheritdoc IServiceCore
    PendingSigner public pendingResolutionSigner;

    constructor(address owner_, address resolutionSigner_) Ownable(owner_) {
        if (resolutionSigner_ == address(0)) revert AddressZero();
        resolutionSigner = resolutionSigner_;
        emit ResolutionSignerChanged(address(0), resolutionSigner_);
    }

    /// @inheritdoc IServiceCore
    function proposeResolutionSigner(address signer) external onlyOwner {
        if (signer == address(0)) revert AddressZero();
        uint64 acceptableAt = uint64(block.timestamp) + SIGNER_DELAY;
        pendingResolutionSigner = PendingSigner(signer, acceptableAt);
        emit ResolutionSignerProposed(signer, acceptableAt);
    }

    /// @inheritdoc IServiceCore
    function acceptResolutionSigner() external onlyOwner {
        PendingSigner memory pending = pendingResolutionSigner;
        if (pending.signer == address(0)) revert PendingSignerMissing();
        if (block.timestamp < pending.acceptableAt) revert TooEarly(pending.acceptableAt, block.timestamp);
        emit ResolutionSignerChanged(resolutionSigner, pending.signer);
        resolutionSigner = pending.signer;
        delete pendingResolutionSigner;
    }

    /// @inheritdoc IServiceCore
    function revokeResolutionSigner(address signer) external onlyOwner {
        bool inOffice = signer == resolutionSigner;
        bool isPending = signer == pendingResolutionSigner.signer;
        if (signer == address(0) || !(inOffice || isPending)) revert SignerUnknown(signer);
        if (inOffice) delete resolutionSigner;
        if (isPending) delete pendingResolutionSigner;
        emit ResolutionSignerRevoked(signer);
    }

    /// @notice Always reverts: an owner can hand over, not vanish.
    function renounceOwnership() public view override onlyOwner {
        revert OwnershipNotRenounceable();
    }
}
