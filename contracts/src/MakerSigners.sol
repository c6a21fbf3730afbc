// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "./IServiceRFQSettlement.sol";
import {Signatures} from "./Signatures.sol";

/// @title Keys that sign orders for a maker
/// @notice A maker may keep its money in a cold wallet and quote with a hot key. Such a key signs orders and nothing else:
/// no other check of the two contracts reads what is kept here.
abstract contract MakerSigners is IServiceRFQSettlement {
    /// @dev So that a key that was forgotten lapses, and milliseconds given for seconds are refused.
    uint256 private constant MAX_AUTHORIZATION = 366 days;

    /// @inheritdoc IServiceRFQSettlement
    mapping(address maker => mapping(address signer => uint256 until)) public signerUntil;

    /// @inheritdoc IServiceRFQSettlement
    function authorizeSigner(address signer, uint256 until) external {
        // A signature that recovers to no one is nobody's, and a maker's own key needs no leave.
        if (signer == address(0) || signer == msg.sender) revert SignerInvalid(signer);
        if (until <= block.timestamp || until > block.timestamp + MAX_AUTHORIZATION) {
            revert AuthorizationOutOfRange(until, block.timestamp);
        }
        signerUntil[msg.sender][signer] = until;
        emit SignerAuthorized(msg.sender, signer, until);
    }

    /// @inheritdoc IServiceRFQSettlement
    function revokeSigner(address signer) external {
        delete signerUntil[msg.sender][signer];
        emit SignerRevoked(msg.sender, signer);
    }

    /// @dev What the maker has authorised is read only where the signature is not its own, so that its own costs no more.
    function _signedUntil(address maker, bytes32 digest, bytes calldata signature)
        internal
        view
        returns (uint256 until)
    {
        (bool isSigned, address recovered) = Signatures.check(maker, digest, signature);
        return isSigned ? type(uint256).max : signerUntil[maker][recovered];
    }
}
