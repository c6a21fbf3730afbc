// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title IConditionalTokens
/// @notice The markets of the series live in a conditional-token contract (Gnosis). This is the part that the core calls.
interface IConditionalTokens {
    /// @notice The payouts of a condition add up to this.
    /// @param conditionId Condition.
    /// @return Sum of the payouts; 0 until the condition is resolved.
    function payoutDenominator(bytes32 conditionId) external view returns (uint256);

    /// @notice Each outcome of a condition has a payout.
    /// @param conditionId Condition.
    /// @param index Index of the outcome, from 0.
    /// @return Payout of the outcome.
    function payoutNumerators(bytes32 conditionId, uint256 index) external view returns (uint256);

    /// @notice A collection is a set of outcomes.
    /// @param parentCollectionId Collection that it refines; zero for none.
    /// @param conditionId Condition.
    /// @param indexSet One bit for each outcome.
    /// @return Id of the collection.
    function getCollectionId(bytes32 parentCollectionId, bytes32 conditionId, uint256 indexSet)
        external
        view
        returns (bytes32);

    /// @notice A position is a collection in a collateral token.
    /// @param collateralToken Collateral.
    /// @param collectionId Collection.
    /// @return Token id of the position.
    function getPositionId(address collateralToken, bytes32 collectionId) external pure returns (uint256);
}
