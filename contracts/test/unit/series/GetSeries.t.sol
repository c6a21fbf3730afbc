// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../../src/IServiceCore.sol";
import {PricesWorld} from "../../support/PricesWorld.sol";

/// @title GetSeriesTest
/// @notice A series shows its whole state, with the price of its fixing.
contract GetSeriesTest is PricesWorld {
    uint64 private constant CUTOFF = 1 hours;
    uint64 private constant CAP = 100e6;

    uint256 private spread = leg(1, 0, 4500) | leg(-1, 0, 6500) << 32;
    uint256 private spreadId;

    /// @dev A core with a cut-off, a window and a cap; 10 calls and 20 spreads are written.
    function setUp() public override {
        super.setUp();
        IServiceCore.Setup memory setup = setupOf(address(usd));
        (setup.disputeWindow, setup.conditionalTokens) = (WINDOW, address(market));
        setup.tradingCutoff = CUTOFF;
        (core, settlement) = deploy(setup);
        vm.prank(owner);
        core.setDefaultCap(CAP);
        // The first fixing is of another expiry.
        createSeries(4500, EXPIRY + 1, 0);
        createSeries(4500, EXPIRY, 0);
        createSeries(4500, EXPIRY, 1);
        createSeries(6500, EXPIRY, 0);
        spreadId = createPackage(spread);
        fund(maker);
        fund(taker);
        trade(callId, 10, 0);
        trade(spreadId, 20, 1);
    }

    function test_a_call_that_trades() external view {
        expectSeries(callId, callThatTrades());
    }

    function test_a_put_of_which_nothing_is_written() external view {
        IServiceCore.Series memory put = callThatTrades();
        (put.optionType, put.maxPayoff, put.openInterest) = (1, 450_000, 0);
        put.openInterestCap = uint128((CAP - 10 * 550_000 - 20 * 200_000) / 450_000);
        expectSeries(putId, put);
    }

    function test_a_package_that_trades() external view {
        expectSeries(spreadId, packageThatTrades());
    }

    function test_a_series_that_is_halted() external {
        uint256[] memory ids = new uint256[](1);
        ids[0] = callId;
        vm.prank(halter);
        core.setHalted(ids, true);
        IServiceCore.Series memory call = callThatTrades();
        call.halted = true;
        expectSeries(callId, call);
        expectSeries(spreadId, packageThatTrades());
    }

    function test_a_series_with_a_price_that_is_not_final_and_then_is() external {
        vm.warp(EXPIRY);
        settle(spreadId, 59);
        IServiceCore.Series memory call = callThatTrades();
        (call.settled, call.resolutionBps, call.finalAt, call.payoff) = (true, 59, FINAL_AT, 140_000);
        IServiceCore.Series memory package = packageThatTrades();
        (package.settled, package.resolutionBps, package.finalAt, package.payoff) = (true, 59, FINAL_AT, 140_000);
        expectSeries(callId, call);
        expectSeries(spreadId, package);
        vm.warp(FINAL_AT);
        expectSeries(callId, call);
        core.claimAllFor(taker, callId);
        core.claimAllFor(maker, callId);
        expectSeries(callId, call);
        expectSeries(spreadId, package);
    }

    function test_a_series_whose_price_was_vetoed() external {
        settle(callId, 59);
        veto(callId);
        IServiceCore.Series memory call = callThatTrades();
        call.vetoed = true;
        expectSeries(callId, call);
        IServiceCore.Series memory package = packageThatTrades();
        package.vetoed = true;
        expectSeries(spreadId, package);
    }

    function test_a_series_whose_price_a_revocation_voided() external {
        settle(callId, 59);
        revokeSigner();
        expectSeries(callId, callThatTrades());
        expectSeries(spreadId, packageThatTrades());
    }

    function test_a_series_with_an_announced_price() external {
        vm.warp(EXPIRY + 3 days);
        announce(callId, 70);
        expectSeries(callId, callThatTrades());
        vetoManual(callId);
        expectSeries(callId, callThatTrades());
    }

    function callThatTrades() private pure returns (IServiceCore.Series memory) {
        return IServiceCore.Series({
            expiry: EXPIRY,
            strikeBps: 4500,
            optionType: 0,
            resolutionBps: 0,
            settled: false,
            halted: false,
            openInterest: 10,
            maxPayoff: 550_000,
            payoff: 0,
            finalAt: 0,
            vetoed: false,
            openInterestCap: 10 + uint128((CAP - 10 * 550_000 - 20 * 200_000) / 550_000),
            tradingEndsAt: EXPIRY - CUTOFF,
            fixing: 2
        });
    }

    function packageThatTrades() private pure returns (IServiceCore.Series memory package) {
        package = callThatTrades();
        (package.strikeBps, package.optionType, package.maxPayoff, package.openInterest) = (0, 2, 200_000, 20);
        package.openInterestCap = 20 + uint128((CAP - 10 * 550_000 - 20 * 200_000) / 200_000);
    }

    function expectSeries(uint256 seriesId, IServiceCore.Series memory expected) private view {
        IServiceCore.Series memory series = seriesOf(seriesId);
        vm.assertEq(series.expiry, expected.expiry, "expiry");
        vm.assertEq(series.strikeBps, expected.strikeBps, "strike");
        vm.assertEq(series.optionType, expected.optionType, "type");
        vm.assertEq(series.resolutionBps, expected.resolutionBps, "resolution");
        vm.assertTrue(series.settled == expected.settled, "settled");
        vm.assertTrue(series.halted == expected.halted, "halted");
        vm.assertEq(series.openInterest, expected.openInterest, "open interest");
        vm.assertEq(series.maxPayoff, expected.maxPayoff, "most");
        vm.assertEq(series.payoff, expected.payoff, "payoff");
        vm.assertEq(series.finalAt, expected.finalAt, "final at");
        vm.assertTrue(series.vetoed == expected.vetoed, "vetoed");
        vm.assertEq(series.openInterestCap, expected.openInterestCap, "cap");
        vm.assertEq(series.tradingEndsAt, expected.tradingEndsAt, "trading ends at");
        vm.assertEq(series.fixing, expected.fixing, "fixing");
        vm.assertEq(keccak256(abi.encode(series)), keccak256(abi.encode(expected)), "all of it");
    }
}
