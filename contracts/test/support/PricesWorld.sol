// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../src/IRoles.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {ConditionalMarket} from "./ConditionalMarket.sol";
import {World} from "./World.sol";

/// @title PricesWorld
/// @notice This world has a dispute window of two hours and a market that can resolve, so that every way to a price is open.
abstract contract PricesWorld is World {
    uint64 internal constant WINDOW = 2 hours;
    /// @dev A price that is attested at the expiry is final from then on.
    uint64 internal constant FINAL_AT = EXPIRY + WINDOW;

    uint256 internal constant NEXT_KEY = 0x4E4;
    address internal immutable next = vm.addr(NEXT_KEY);

    ConditionalMarket internal market;

    function setUp() public virtual override {
        super.setUp();
        market = new ConditionalMarket();
        conditionCollateral = address(0xC011);
        yesToken = market.tokenOf(conditionCollateral, CONDITION, 0);
        IServiceCore.Setup memory setup = setupOf(address(usd));
        (setup.disputeWindow, setup.conditionalTokens) = (WINDOW, address(market));
        (core, settlement) = deploy(setup);
        callId = createSeries(4500, EXPIRY, 0);
        putId = createSeries(4500, EXPIRY, 1);
        fund(maker);
        fund(taker);
    }

    function veto(uint256 seriesId) internal {
        vm.prank(guardian);
        core.vetoSeries(seriesId);
    }

    function vetoManual(uint256 seriesId) internal {
        vm.prank(guardian);
        core.vetoManual(seriesId);
    }

    function announce(uint256 seriesId, uint16 resolutionBps) internal {
        vm.prank(owner);
        core.proposeManual(seriesId, resolutionBps);
    }

    function execute(uint256 seriesId) internal {
        vm.prank(owner);
        core.executeManual(seriesId);
    }

    /// @dev The market's own resolution of the World's call.
    function settleByMarket() internal {
        vm.prank(stranger);
        core.settleFromCondition(termsOf(4500, EXPIRY, 0));
    }

    function revokeSigner() internal {
        address active = core.resolutionSigner();
        vm.prank(owner);
        core.removeFromRole(IRoles.Role.ResolutionSigner, active);
    }

    function propose(IRoles.Role role, address account) internal {
        vm.prank(owner);
        core.proposeRole(role, account);
    }

    /// @dev The account takes a role that it was proposed for.
    function confirm(IRoles.Role role, address account) internal {
        vm.prank(account);
        core.confirmRole(role);
    }

    /// @dev An attestation by another key than the first signer's.
    function settleBy(uint256 key, uint256 seriesId, uint16 resolutionBps) internal {
        uint256 validUntil = block.timestamp + 15 minutes;
        bytes memory signature = sign(key, core.hashAttestation(seriesId, resolutionBps, validUntil));
        core.settleWithAttestation(seriesId, resolutionBps, validUntil, signature);
    }

    function expectPrice(uint256 seriesId, uint16 resolutionBps, uint256 finalAt) internal view {
        IServiceCore.Series memory series = seriesOf(seriesId);
        vm.assertTrue(series.settled, "has a price");
        vm.assertEq(series.resolutionBps, resolutionBps, "price");
        vm.assertEq(series.finalAt, finalAt, "final at");
    }

    function expectNoPrice(uint256 seriesId) internal view {
        IServiceCore.Series memory series = seriesOf(seriesId);
        vm.assertTrue(!series.settled, "no price");
        vm.assertEq(series.resolutionBps + series.finalAt + series.payoff, 0, "nothing of it is left");
    }
}
