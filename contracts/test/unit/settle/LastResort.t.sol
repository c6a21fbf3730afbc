// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IConditionalTokens} from "../../../src/IConditionalTokens.sol";
import {IRoles} from "../../../src/IRoles.sol";
import {IServiceCore} from "../../../src/IServiceCore.sol";
import {World} from "../../support/World.sol";

/// @title LastResortTest
/// @notice The market's own resolution settles a series that no one else settled.
contract LastResortTest is World {
    uint256 private constant AT = EXPIRY + 30 days;
    address private constant COLLATERAL = address(0xC011);

    Market private market;
    IServiceCore.Terms private terms;
    uint256 private id;

    function setUp() public override {
        super.setUp();
        market = new Market();
        IServiceCore.Setup memory setup = setupOf(address(usd));
        setup.conditionalTokens = address(market);
        (core, settlement) = deploy(setup);
        id = register(market.tokenOf(COLLATERAL, CONDITION, 0), 0);
        createSeries(4500, EXPIRY, 0);
        market.resolve(CONDITION, 1, 1);
        fund(maker);
        fund(taker);
        trade(id, 10, 0);
        vm.warp(AT);
    }

    function test_anyone_settles_by_the_market_30_days_after_expiry() external {
        vm.expectEmit(address(core));
        emit IServiceCore.SeriesSettled(id, 50, uint64(AT));
        vm.expectEmit(address(core));
        emit IServiceCore.ConditionResolutionExecuted(id, 1, 2);
        settleByMarket(COLLATERAL);
        vm.assertEq(seriesOf(id).resolutionBps, 50, "price");
        vm.prank(taker);
        vm.assertEq(core.claimHolderPayout(id, 10), 10 * 50_000, "final at once");
    }

    function test_a_second_before_it_is_too_early() external {
        vm.warp(AT - 1);
        refuses(COLLATERAL, abi.encodeWithSelector(IRoles.TooEarly.selector, AT, AT - 1));
        vm.assertEq(core.lastResortAt(id), AT, "says when");
    }

    function test_without_a_signer_it_is_seven_days_after_expiry() external {
        vm.warp(START);
        revokeSigner();
        uint256 at = EXPIRY + 7 days;
        vm.assertEq(core.lastResortAt(id), at, "says when");
        vm.warp(at - 1);
        refuses(COLLATERAL, abi.encodeWithSelector(IRoles.TooEarly.selector, at, at - 1));
        vm.warp(at);
        settleByMarket(COLLATERAL);
    }

    function test_or_seven_days_after_the_vacancy_if_that_is_later() external {
        vm.warp(EXPIRY + 10 days);
        revokeSigner();
        uint256 at = EXPIRY + 17 days;
        vm.assertEq(core.lastResortAt(id), at, "says when");
        vm.warp(at - 1);
        refuses(COLLATERAL, abi.encodeWithSelector(IRoles.TooEarly.selector, at, at - 1));
        vm.warp(at);
        settleByMarket(COLLATERAL);
    }

    function test_and_never_later_than_thirty_days_after_expiry() external {
        vm.warp(EXPIRY + 29 days);
        revokeSigner();
        vm.assertEq(core.lastResortAt(id), AT, "says when");
    }

    function test_a_new_signer_ends_the_shorter_time() external {
        vm.warp(START);
        revokeSigner();
        vm.prank(owner);
        core.proposeRole(IRoles.Role.ResolutionSigner, stranger);
        vm.warp(START + 3 days);
        vm.prank(owner);
        core.confirmRole(IRoles.Role.ResolutionSigner);
        vm.assertEq(core.lastResortAt(id), AT, "says when");
    }

    function test_payouts_are_rounded_to_hundredths_halves_up() external {
        uint256[3][7] memory cases = [
            [uint256(1), 0, 100],
            [uint256(0), 1, 0],
            [uint256(1), 2, 33],
            [uint256(2), 1, 67],
            [uint256(5), 995, 1],
            [uint256(4), 996, 0],
            [uint256(type(uint128).max), type(uint128).max, 50]
        ];
        for (uint256 i = 0; i < cases.length; ++i) {
            uint256 before = vm.snapshotState();
            market.resolve(CONDITION, cases[i][0], cases[i][1]);
            settleByMarket(COLLATERAL);
            vm.assertEq(seriesOf(id).resolutionBps, cases[i][2], "price");
            vm.revertToState(before);
        }
    }

    function test_the_largest_payouts_do_not_overflow() external {
        market.resolve(CONDITION, type(uint256).max, 0);
        settleByMarket(COLLATERAL);
        vm.assertEq(seriesOf(id).resolutionBps, 100, "price");
    }

    function test_yes_may_be_the_second_outcome() external {
        vm.warp(START);
        uint256 second = register(market.tokenOf(COLLATERAL, CONDITION, 1), 1);
        market.resolve(CONDITION, 3, 1);
        vm.warp(AT);
        settleByMarket(COLLATERAL);
        vm.assertEq(seriesOf(second).resolutionBps, 25, "price");
    }

    function test_another_collateral_or_a_token_of_no_market_is_refused() external {
        refuses(
            stranger,
            abi.encodeWithSelector(IServiceCore.ConditionMismatch.selector, CONDITION, terms.yesClobTokenId, stranger)
        );
        terms = termsOf(4500, EXPIRY, 0);
        refuses(
            COLLATERAL,
            abi.encodeWithSelector(IServiceCore.ConditionMismatch.selector, CONDITION, YES_TOKEN, COLLATERAL)
        );
    }

    function test_terms_of_no_series_are_refused() external {
        terms.shape = 4501;
        uint256 unknown = core.seriesIdOf(CONDITION, terms.yesClobTokenId, 4501, EXPIRY, 0);
        refuses(COLLATERAL, abi.encodeWithSelector(IServiceCore.SeriesUnknown.selector, unknown));
    }

    function test_a_market_that_is_not_resolved_says_nothing() external {
        market.resolve(CONDITION, 0, 0);
        refuses(COLLATERAL, abi.encodeWithSelector(IServiceCore.ConditionUnresolved.selector, CONDITION));
    }

    function test_a_payout_above_all_payouts_is_refused() external {
        market.lie(CONDITION, 3, 2);
        refuses(COLLATERAL, abi.encodeWithSelector(IServiceCore.ConditionPayoutInvalid.selector, 3, 2));
    }

    function test_a_series_with_a_price_keeps_it() external {
        settle(id, 59);
        refuses(COLLATERAL, abi.encodeWithSelector(IServiceCore.SeriesAlreadySettled.selector, id, 59));
    }

    function test_without_a_conditional_token_contract_there_is_none() external {
        vm.warp(START);
        (core, settlement) = deploy(address(usd));
        register(terms.yesClobTokenId, 0);
        vm.warp(AT);
        refuses(COLLATERAL, abi.encodeWithSelector(IServiceCore.LastResortMissing.selector));
    }

    function register(uint256 token, uint8 optionType) private returns (uint256) {
        terms = IServiceCore.Terms(CONDITION, token, 4500, EXPIRY, optionType);
        vm.prank(registrar);
        return core.createSeries(CONDITION, token, 4500, EXPIRY, optionType);
    }

    function revokeSigner() private {
        vm.prank(owner);
        core.removeFromRole(IRoles.Role.ResolutionSigner, signer);
    }

    function settleByMarket(address collateral) private {
        vm.prank(stranger);
        core.settleFromCondition(terms, collateral);
    }

    function refuses(address collateral, bytes memory reason) private {
        vm.expectRevert(reason);
        core.settleFromCondition(terms, collateral);
    }
}

/// @title Market
/// @notice This conditional-token contract computes ids as hashes, without the curve arithmetic of the real one.
contract Market is IConditionalTokens {
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
