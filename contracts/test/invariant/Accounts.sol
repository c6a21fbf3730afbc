// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {ERC1155Holder} from "@openzeppelin/contracts/token/ERC1155/utils/ERC1155Holder.sol";

/// @title Wallet
/// @notice One key signs for this smart wallet (ERC-1271), which receives options.
contract Wallet is ERC1155Holder {
    address private immutable key;

    constructor(address key_) {
        key = key_;
    }

    function isValidSignature(bytes32 digest, bytes calldata signature) external view returns (bytes4) {
        if (signature.length != 65) return 0;
        (bytes32 r, bytes32 s) = abi.decode(signature[:64], (bytes32, bytes32));
        return ecrecover(digest, uint8(signature[64]), r, s) == key ? this.isValidSignature.selector : bytes4(0);
    }
}

/// @title Conditions
/// @notice This conditional-token contract reports payouts of markets as that of Gnosis does.
contract Conditions {
    mapping(bytes32 conditionId => uint256) public payoutDenominator;
    mapping(bytes32 conditionId => mapping(uint256 outcome => uint256)) public payoutNumerators;

    function report(bytes32 conditionId, uint256 first, uint256 second) external {
        payoutDenominator[conditionId] = first + second;
        payoutNumerators[conditionId][0] = first;
        payoutNumerators[conditionId][1] = second;
    }

    function tokenOf(bytes32 conditionId, address collateral, uint256 indexSet) external pure returns (uint256) {
        return getPositionId(collateral, getCollectionId(0, conditionId, indexSet));
    }

    function getCollectionId(bytes32 parent, bytes32 conditionId, uint256 indexSet) public pure returns (bytes32) {
        return keccak256(abi.encode(parent, conditionId, indexSet));
    }

    function getPositionId(address collateral, bytes32 collectionId) public pure returns (uint256) {
        return uint256(keccak256(abi.encode(collateral, collectionId)));
    }
}
