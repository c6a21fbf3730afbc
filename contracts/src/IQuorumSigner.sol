// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "./IRoles.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";

/// @title IQuorumSigner
/// @notice A resolution signer of several keys, of which a fixed number sign together. There is no owner, and no call changes
/// keys or threshold: other keys are another contract, which the core's owner proposes with notice and the guardian can refuse.
/// The keys are read as those of a Safe are.
interface IQuorumSigner is IERC1271 {
    /// @notice There must be 1 to 16 keys.
    /// @param count Number of keys that was given.
    error KeyCountOutOfRange(uint256 count);
    /// @notice The keys must be different, none zero, in ascending order.
    /// @param index Index of the first key that is not above the one before it.
    error KeysNotAscending(uint256 index);
    /// @notice The threshold must be from 1 to the number of keys.
    /// @param threshold Number of signatures that was given.
    /// @param count Number of keys.
    error ThresholdOutOfRange(uint256 threshold, uint256 count);

    /// @notice Confirms the proposal of this contract as the resolution signer of a core. Anyone: the core's owner has proposed
    /// it, and until now could take that back, as could the guardian.
    /// @param core Core that this contract is proposed to.
    function acceptRole(IRoles core) external;

    /// @notice Checks a signature of the quorum. Never reverts.
    /// @param digest Digest that the keys signed as it is, without a prefix.
    /// @param signature As many signatures as the threshold, neither more nor fewer, of 65 bytes each (r, s, v), in ascending
    /// order of the keys that made them.
    /// @return magicValue 0x1626ba7e if they are of different keys of this contract; 0xffffffff otherwise.
    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4 magicValue);

    /// @notice Returns the keys.
    /// @return keys Addresses of the keys, ascending.
    function getOwners() external view returns (address[] memory keys);

    /// @notice Returns how many keys sign together.
    /// @return threshold Number of signatures.
    function getThreshold() external view returns (uint256 threshold);
}
