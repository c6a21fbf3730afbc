// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../../src/IConditionalTokens.sol";

/// @title ConditionalMarket
/// @notice This conditional-token contract computes ids as hashes, without the curve arithmetic of the real one.
contract ConditionalMarket is IConditionalTokens {
    mapping(bytes32 => uint256[2]) private numerators;
    mapping(bytes32 => uint256) public payoutDenominator;

    function resolve(bytes32 condition, uint256 first, uint256 second) external {
        numerators[condition] = [first, second];
        payoutDenominator[condition] = first + second;
    }

    function lie(bytes32 condition, uint256 first, uint256 denominator) external {
        numerators[condition] = [first, 0];
        payoutDenominator[condition] = denominator;
    }

    function tokenOf(address collateral, bytes32 condition, uint256 outcome) external pure returns (uint256) {
        return getPositionId(collateral, getCollectionId(0, condition, 1 << outcome));
    }

    function payoutNumerators(bytes32 condition, uint256 index) external view returns (uint256) {
        return numerators[condition][index];
    }

    function getCollectionId(bytes32 parent, bytes32 condition, uint256 indexSet) public pure returns (bytes32) {
        require(parent == 0, "no parent");
        return keccak256(abi.encode(condition, indexSet));
    }

    function getPositionId(address collateral, bytes32 collection) public pure returns (uint256) {
        return uint256(keccak256(abi.encodePacked(collateral, collection)));
    }
}
