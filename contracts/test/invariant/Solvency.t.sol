// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IRoles} from "../../src/IRoles.sol";
import {IServiceCore} from "../../src/IServiceCore.sol";
import {World} from "../support/World.sol";
import {Conditions} from "./Accounts.sol";
import {Handler} from "./Handler.sol";
import {Ledger} from "./Ledger.sol";

/// @title SolvencyTest
/// @notice The invariants hold after every step of any history, with prices that are final at once.
contract SolvencyTest is World {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    uint256 private constant ACTIONS = 41;
    uint256 private constant AGAIN = 5;

    Handler private handler;

    /// @dev Seconds between an attested price and its being final.
    function window() internal pure virtual returns (uint64) {
        return 0;
    }

    function setUp() public override {
        super.setUp();
        Conditions conditions = new Conditions();
        IServiceCore.Setup memory setup = setupOf(address(usd));
        (setup.disputeWindow, setup.conditionalTokens) = (window(), address(conditions));
        setup.settlement = vm.computeCreateAddress(address(this), vm.getNonce(address(this)) + 1);
        (core, settlement) = deploy(setup);
        handler = new Handler(usd, core, settlement, conditions);
        usd.grantRole(usd.MINTER_ROLE(), address(handler));
        handler.start(SIGNER_KEY);
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    /// @dev Only the actions; `start` and `exitAll` are the test's own. Some are repeated: fills feed all the others, and
    /// strangers have much to try.
    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        bytes4[AGAIN] memory again = [
            handler.fill.selector,
            handler.fillFromInventory.selector,
            handler.settleByAttestation.selector,
            handler.stranger.selector,
            handler.stranger.selector
        ];
        (, bytes4[] memory selectors) = actions();
        targets = new FuzzSelector[](1);
        targets[0] = FuzzSelector(address(handler), new bytes4[](selectors.length + AGAIN));
        for (uint256 i = 0; i < targets[0].selectors.length; ++i) {
            targets[0].selectors[i] = i < AGAIN ? again[i] : selectors[i - AGAIN];
        }
    }

    /// @dev One invariant, so that one campaign of random calls serves all six.
    function invariant_balances_match_the_ledger() external view {
        the_core_holds_exactly_what_it_owes();
        longs_equal_shorts_and_until_settlement_the_open_interest();
        everybody_has_what_the_ledger_says();
        a_resolution_never_changes_and_terms_never_do();
        the_settlement_contract_holds_nothing();
        roles_are_held_as_assigned();
    }

    function the_core_holds_exactly_what_it_owes() private view {
        uint256 owed;
        for (uint256 i = 0; i < handler.bookCount(); ++i) {
            Ledger.Book memory book = handler.bookAt(i);
            uint256 most = core.maxPayoff(book.seriesId);
            if (!handler.isFinal(book)) {
                owed += seriesOf(book.seriesId).openInterest * most;
            } else {
                (uint256 longs, uint256 shorts) = positionsIn(book.seriesId);
                uint256 payoff = core.payoff(book.seriesId);
                owed += longs * payoff + shorts * (most - payoff);
            }
        }
        vm.assertEq(usd.balanceOf(address(core)), owed, "balance");
    }

    function longs_equal_shorts_and_until_settlement_the_open_interest() private view {
        for (uint256 i = 0; i < handler.bookCount(); ++i) {
            Ledger.Book memory book = handler.bookAt(i);
            (uint256 longs, uint256 shorts) = positionsIn(book.seriesId);
            vm.assertEq(seriesOf(book.seriesId).openInterest, book.openInterest, "open interest of the ledger");
            if (handler.isFinal(book)) continue;
            vm.assertEq(longs, shorts, "longs and shorts");
            vm.assertEq(longs, book.openInterest, "longs and open interest");
        }
    }

    function everybody_has_what_the_ledger_says() private view {
        for (uint256 j = 0; j < handler.actorCount(); ++j) {
            address actor = handler.actors(j);
            vm.assertEq(usd.balanceOf(actor), handler.cashOf(actor), "cash");
            for (uint256 i = 0; i < handler.bookCount(); ++i) {
                uint256 id = handler.bookAt(i).seriesId;
                vm.assertEq(core.balanceOf(actor, id), handler.longOf(id, actor), "longs");
                vm.assertEq(core.shortOf(id, actor), handler.shortOf(id, actor), "shorts");
            }
        }
    }

    function a_resolution_never_changes_and_terms_never_do() private view {
        for (uint256 i = 0; i < handler.bookCount(); ++i) {
            Ledger.Book memory book = handler.bookAt(i);
            IServiceCore.Series memory series = seriesOf(book.seriesId);
            vm.assertEq(series.expiry, book.expiry, "expiry");
            vm.assertEq(series.strikeBps, book.isPackage ? 0 : book.strikes[0], "strike");
            vm.assertEq(series.optionType, book.isPackage ? 2 : book.puts[0] ? 1 : 0, "type");
            (uint256 legs, int256 floor) = core.legsOf(book.seriesId);
            vm.assertEq(legs, handler.legsOf(book), "legs");
            vm.assertTrue(floor == book.floor, "floor");
            vm.assertTrue(series.settled == handler.hasPrice(book), "settled");
            vm.assertEq(series.finalAt, book.finalAt, "final at");
            vm.assertTrue(series.vetoed == book.vetoed, "vetoed");
            vm.assertEq(series.openInterestCap, book.cap, "cap");
            vm.assertTrue(series.halted == book.halted, "halted");
            vm.assertEq(series.resolutionBps, book.resolutionBps, "resolution");
            vm.assertEq(core.maxPayoff(book.seriesId), book.most, "most");
            if (handler.isFinal(book)) vm.assertEq(core.payoff(book.seriesId), handler.payoffOf(book), "payoff");
        }
    }

    function the_settlement_contract_holds_nothing() private view {
        vm.assertEq(usd.balanceOf(address(settlement)), 0, "stablecoin");
        vm.assertEq(address(settlement).balance, 0, "ether");
        for (uint256 i = 0; i < handler.bookCount(); ++i) {
            vm.assertEq(core.balanceOf(address(settlement), handler.bookAt(i).seriesId), 0, "options");
        }
    }

    function roles_are_held_as_assigned() private view {
        vm.assertEq(core.owner(), handler.owner(), "owner");
        vm.assertEq(core.holderOf(IRoles.Role.Guardian), handler.guardian(), "guardian");
        vm.assertEq(core.holderOf(IRoles.Role.Registrar), handler.registrar(), "registrar");
        vm.assertEq(core.resolutionSigner(), handler.signer(), "signer");
        vm.assertEq(core.signerVacantSince(), handler.vacantSince(), "vacant since");
    }

    function a_used_nonce_never_clears() private view {
        for (uint256 i = 0; i < handler.usedCount(); ++i) {
            (address maker_, uint256 nonce) = handler.used(i);
            vm.assertTrue(settlement.isNonceUsed(maker_, nonce), "nonce");
        }
    }

    function afterInvariant() external {
        everythingWasDone();
        a_used_nonce_never_clears();
        handler.exitAll(uint256(keccak256(abi.encode(block.timestamp, handler.usedCount()))));
        vm.assertEq(usd.balanceOf(address(core)), 0, "the core is empty when all have left");
        everybody_has_what_the_ledger_says();
    }

    /// @dev Every action came to its end in every run: those that chance left out are taken now.
    function everythingWasDone() private {
        (string[] memory names, bytes4[] memory selectors) = actions();
        for (uint256 i = 0; i < names.length; ++i) {
            for (uint64 seed = 1; seed <= 100 && handler.done(names[i]) == 0; ++seed) {
                // Whatever an action's arguments are, ones are good for all but the first.
                uint256 random = uint64(uint256(keccak256(abi.encode(seed, names[i]))));
                (bool passed,) = address(handler).call(abi.encodePacked(selectors[i], random, [uint256(1), 1, 1, 1]));
                vm.assertTrue(passed, names[i]);
            }
            vm.assertTrue(handler.done(names[i]) > 0, string.concat("never done: ", names[i]));
        }
        this.invariant_balances_match_the_ledger();
    }

    function actions() private view returns (string[] memory names, bytes4[] memory selectors) {
        names = new string[](ACTIONS);
        selectors = new bytes4[](ACTIONS);
        (names[0], selectors[0]) = ("fill", handler.fill.selector);
        (names[1], selectors[1]) = ("fillBatch", handler.fillBatch.selector);
        (names[2], selectors[2]) = ("fillMany", handler.fillMany.selector);
        (names[3], selectors[3]) = ("fillWithPermit", handler.fillWithPermit.selector);
        (names[4], selectors[4]) = ("refuseUsedNonce", handler.refuseUsedNonce.selector);
        (names[5], selectors[5]) = ("refuseAboveCap", handler.refuseAboveCap.selector);
        (names[6], selectors[6]) = ("cancel", handler.cancel.selector);
        (names[7], selectors[7]) = ("transferLongs", handler.transferLongs.selector);
        (names[8], selectors[8]) = ("moveShort", handler.moveShort.selector);
        (names[9], selectors[9]) = ("close", handler.close.selector);
        (names[10], selectors[10]) = ("claimAsHolder", handler.claimAsHolder.selector);
        (names[11], selectors[11]) = ("claimAsWriter", handler.claimAsWriter.selector);
        (names[12], selectors[12]) = ("claimMany", handler.claimMany.selector);
        (names[13], selectors[13]) = ("claimFor", handler.claimFor.selector);
        (names[14], selectors[14]) = ("everybodyClaims", handler.everybodyClaims.selector);
        (names[15], selectors[15]) = ("settleByAttestation", handler.settleByAttestation.selector);
        (names[16], selectors[16]) = ("settleMany", handler.settleMany.selector);
        (names[17], selectors[17]) = ("settleByHand", handler.settleByHand.selector);
        (names[18], selectors[18]) = ("announceInVain", handler.announceInVain.selector);
        (names[19], selectors[19]) = ("settleFromCondition", handler.settleFromCondition.selector);
        (names[20], selectors[20]) = ("veto", handler.veto.selector);
        (names[21], selectors[21]) = ("contradict", handler.contradict.selector);
        (names[22], selectors[22]) = ("refuseSecondResolution", handler.refuseSecondResolution.selector);
        (names[23], selectors[23]) = ("refuseEarlyClaim", handler.refuseEarlyClaim.selector);
        (names[24], selectors[24]) = ("haltAndResume", handler.haltAndResume.selector);
        (names[25], selectors[25]) = ("setCap", handler.setCap.selector);
        (names[26], selectors[26]) = ("setRegistrar", handler.setRegistrar.selector);
        (names[27], selectors[27]) = ("changeSigner", handler.changeSigner.selector);
        (names[28], selectors[28]) = ("revokeSigner", handler.revokeSigner.selector);
        (names[29], selectors[29]) = ("announceRoleInVain", handler.announceRoleInVain.selector);
        (names[30], selectors[30]) = ("changeOwner", handler.changeOwner.selector);
        (names[31], selectors[31]) = ("changeGuardian", handler.changeGuardian.selector);
        (names[32], selectors[32]) = ("refuseStrangeSigner", handler.refuseStrangeSigner.selector);
        (names[33], selectors[33]) = ("stranger", handler.stranger.selector);
        (names[34], selectors[34]) = ("pass", handler.pass.selector);
        (names[35], selectors[35]) = ("fillFromInventory", handler.fillFromInventory.selector);
        (names[36], selectors[36]) = ("createPackage", handler.createPackage.selector);
        (names[37], selectors[37]) = ("haltPackage", handler.haltPackage.selector);
        (names[38], selectors[38]) = ("fillFor", handler.fillFor.selector);
        (names[39], selectors[39]) = ("fillWithPayment", handler.fillWithPayment.selector);
        (names[40], selectors[40]) = ("refuseRevokedKey", handler.refuseRevokedKey.selector);
    }

    function positionsIn(uint256 seriesId) private view returns (uint256 longs, uint256 shorts) {
        for (uint256 j = 0; j < handler.actorCount(); ++j) {
            longs += core.balanceOf(handler.actors(j), seriesId);
            shorts += core.shortOf(seriesId, handler.actors(j));
        }
    }
}

/// @title DisputedSolvencyTest
/// @notice The same campaign runs with prices that can be taken back for two hours.
contract DisputedSolvencyTest is SolvencyTest {
    function window() internal pure override returns (uint64) {
        return 2 hours;
    }
}
