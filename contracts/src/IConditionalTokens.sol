// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title What the core asks of the conditional-token contract (Gnosis) that the markets of its series live in
interface IConditionalTokens {
    /// @notice Sum of a condition's payouts; 0 until it is resolved.
    function payoutDenominator(bytes32 conditionId) external view returns (uint256);

    /// @notice Payout of one outcome of a condition.
    function payoutNumerators(bytes32 conditionId, uint256 index) external view returns (uint256);

    /// @notice Id of a collection of outcomes, one bit each in `indexSet`.
    function getCollectionId(bytes32 parentCollectionId, bytes32 conditionId, uint256 indexSet)
        external
        view
        returns (bytes32);

    /// @notice Token id of a collection in a collateral token.
    function getPositionId(address collateralToken, bytes32 collectionId) external pure returns (uint256);
}
