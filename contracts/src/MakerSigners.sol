// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "./IServiceRFQSettlement.sol";
import {Signatures} from "./Signatures.sol";

/// @title MakerSigners
/// @notice A maker authorizes keys that sign its orders, so that it can keep its money in a cold wallet and quote with a hot
/// key. Such a key signs orders and nothing else: no other check of the two contracts reads the storage of this one.
abstract contract MakerSigners is IServiceRFQSettlement {
    /// @dev A forgotten key lapses, and milliseconds given for seconds are refused.
    uint256 private constant MAX_AUTHORIZATION = 366 days;

    /// @inheritdoc IServiceRFQSettlement
    mapping(address maker => uint256) public signerEpoch;

    /// @dev The keys of a maker's former epochs stay where no epoch finds them.
    mapping(address maker => mapping(uint256 epoch => mapping(address signer => uint256 until))) private _signers;

    /// @inheritdoc IServiceRFQSettlement
    function authorizeSigner(address signer, uint256 until) external {
        // A malformed signature recovers to the zero address, and a maker's own key needs no authorization.
        if (signer == address(0) || signer == msg.sender) revert SignerInvalid(signer);
        if (until <= block.timestamp || until > block.timestamp + MAX_AUTHORIZATION) {
            revert AuthorizationOutOfRange(until, block.timestamp);
        }
        _signers[msg.sender][signerEpoch[msg.sender]][signer] = until;
        emit SignerAuthorized(msg.sender, signer, until);
    }

    /// @inheritdoc IServiceRFQSettlement
    function revokeSigner(address signer) external {
        delete _signers[msg.sender][signerEpoch[msg.sender]][signer];
        emit SignerRevoked(msg.sender, signer);
    }

    /// @inheritdoc IServiceRFQSettlement
    function revokeAllSigners() external {
        uint256 epoch = ++signerEpoch[msg.sender];
        emit AllSignersRevoked(msg.sender, epoch);
    }

    /// @inheritdoc IServiceRFQSettlement
    function signerUntil(address maker, address signer) public view returns (uint256 until) {
        return _signers[maker][signerEpoch[maker]][signer];
    }

    /// @dev The storage is read only where the signature is not the maker's own, so that its own costs no more.
    function _signedUntil(address maker, bytes32 digest, bytes calldata signature)
        internal
        view
        returns (uint256 until)
    {
        (bool isSigned, address recovered) = Signatures.check(maker, digest, signature);
        return isSigned ? type(uint256).max : signerUntil(maker, recovered);
    }
}
