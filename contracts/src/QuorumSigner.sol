// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IQuorumSigner} from "./IQuorumSigner.sol";
import {IRoles} from "./IRoles.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";

/// @title QuorumSigner
/// @notice Keys and threshold are given at creation and never change. The list is short and read in order, so that no second
/// record of who is a key can differ from it.
contract QuorumSigner is IQuorumSigner {
    uint256 private constant MAX_KEYS = 16;
    uint256 private constant SIGNATURE_BYTES = 65;

    /// @dev The one list: a key that signs is a key that `getOwners` names. The first `_count` places are in use.
    address[MAX_KEYS] private _keys;
    uint256 private immutable _count;
    uint256 private immutable _threshold;

    /// @notice Fixes the keys and how many of them sign together.
    /// @param keys Addresses of the keys, ascending.
    /// @param threshold Number of them that sign together.
    constructor(address[] memory keys, uint256 threshold) {
        if (keys.length == 0 || keys.length > MAX_KEYS) revert KeyCountOutOfRange(keys.length);
        if (threshold == 0 || threshold > keys.length) revert ThresholdOutOfRange(threshold, keys.length);
        address last;
        for (uint256 i = 0; i < keys.length; ++i) {
            if (keys[i] <= last) revert KeysNotAscending(i);
            last = _keys[i] = keys[i];
        }
        _count = keys.length;
        _threshold = threshold;
    }

    /// @inheritdoc IQuorumSigner
    function acceptRole(IRoles core) external {
        core.confirmRole(IRoles.Role.ResolutionSigner);
    }

    /// @inheritdoc IQuorumSigner
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != _threshold * SIGNATURE_BYTES) return 0xffffffff;
        uint256 next;
        for (uint256 start = 0; start < signature.length; start += SIGNATURE_BYTES) {
            // Zero for a malformed signature, and no key is zero.
            (address signer,,) = ECDSA.tryRecoverCalldata(digest, signature[start:start + SIGNATURE_BYTES]);
            // Each key is passed once, so that none counts twice.
            while (next < _count && _keys[next] != signer) ++next;
            if (next == _count) return 0xffffffff;
            ++next;
        }
        return this.isValidSignature.selector;
    }

    /// @inheritdoc IQuorumSigner
    function getOwners() external view returns (address[] memory keys) {
        keys = new address[](_count);
        for (uint256 i = 0; i < keys.length; ++i) {
            keys[i] = _keys[i];
        }
    }

    /// @inheritdoc IQuorumSigner
    function getThreshold() external view returns (uint256) {
        return _threshold;
    }
}
