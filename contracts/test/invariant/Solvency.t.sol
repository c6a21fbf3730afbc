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

    uint256 private constant ACTIONS = 49;
    uint256 private constant AGAIN = 5;

    Handler private handler;

    /// @dev Seconds between an attested price and its being final.
    function window() internal pure virtual returns (uint64) {
        return 0;
    }

    /// @dev Seconds before expiry at which trading ends.
    function cutoff() internal pure virtual returns (uint64) {
        return 0;
    }

    function setUp() public override {
        super.setUp();
        Conditions conditions = new Conditions();
        IServiceCore.Setup memory setup = setupOf(address(usd));
        (setup.disputeWindow, setup.tradingCutoff) = (window(), cutoff());
        setup.conditionalTokens = address(conditions);
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

    /// @dev One invariant, so that one campaign of random calls serves all eight.
    function invariant_balances_match_the_ledger() external view {
        the_core_holds_exactly_what_it_owes();
        longs_equal_shorts_and_until_settlement_the_open_interest();
        everybody_has_what_the_ledger_says();
        series_are_what_the_ledger_says();
        a_final_price_stays();
        a_fixing_owes_at_most_its_cap();
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
            if (handler.isFinal(book)) continue;
            vm.assertEq(longs, shorts, "longs and shorts");
            vm.assertEq(longs, book.openInterest, "longs and open interest");
        }
    }

    function everybody_has_what_the_ledger_says() private view {
        for (uint256 j = 0; j < handler.actorCount(); ++j) {
            address actor = handler.actors(j);
            vm.assertEq(usd.balanceOf(actor), handler.cashOf(actor), "cash");
            vm.assertEq(core.nonces(actor), handler.acceptances(actor), "acceptances");
            vm.assertEq(settlement.signerEpoch(actor), handler.epochs(actor), "epoch");
            for (uint256 i = 0; i < handler.bookCount(); ++i) {
                uint256 id = handler.bookAt(i).seriesId;
                vm.assertEq(core.balanceOf(actor, id), handler.longOf(id, actor), "longs");
                vm.assertEq(core.shortOf(id, actor), handler.shortOf(id, actor), "shorts");
            }
        }
    }

    function series_are_what_the_ledger_says() private view {
        for (uint256 i = 0; i < handler.bookCount(); ++i) {
            is_what_the_ledger_says(handler.bookAt(i));
        }
    }

    /// @dev Every field of a series and its fixing: terms for ever, and the others as the actions have changed them.
    function is_what_the_ledger_says(Ledger.Book memory book) private view {
        Ledger.Fixing memory fixing = handler.fixingAt(book.fixing);
        IServiceCore.Series memory series = seriesOf(book.seriesId);
        vm.assertEq(series.expiry, book.expiry, "expiry");
        vm.assertEq(series.fixing, book.fixing, "fixing");
        vm.assertEq(series.strikeBps, book.isPackage ? 0 : book.strikes[0], "strike");
        vm.assertEq(series.optionType, book.isPackage ? 2 : book.puts[0] ? 1 : 0, "type");
        (uint256 legs, int256 floor) = core.legsOf(book.seriesId);
        vm.assertEq(legs, handler.legsOf(book), "legs");
        vm.assertTrue(floor == book.floor, "floor");
        vm.assertEq(series.maxPayoff, book.most, "most");
        vm.assertEq(core.maxPayoff(book.seriesId), book.most, "most by itself");
        vm.assertEq(series.tradingEndsAt, book.expiry - cutoff(), "end of trading");
        vm.assertTrue(series.halted == book.halted, "halted");
        vm.assertEq(series.openInterest, book.openInterest, "open interest");
        vm.assertEq(series.openInterestCap, book.openInterest + handler.roomIn(book), "cap");
        vm.assertTrue(series.settled == handler.hasPrice(book), "settled");
        vm.assertEq(series.finalAt, fixing.finalAt, "final at");
        vm.assertEq(series.resolutionBps, fixing.resolutionBps, "resolution");
        vm.assertEq(series.payoff, handler.hasPrice(book) ? handler.payoffOf(book) : 0, "payoff of the price");
        vm.assertTrue(series.vetoed == fixing.vetoed, "vetoed");
        if (handler.isFinal(book)) vm.assertEq(core.payoff(book.seriesId), handler.payoffOf(book), "payoff");
        IServiceCore.ManualProposal memory manual = core.manualProposalOf(book.seriesId);
        vm.assertEq(manual.executableAt, fixing.manualAt, "announced for");
        vm.assertEq(manual.resolutionBps, fixing.manualBps, "announced price");
        vm.assertTrue(manual.vetoed == fixing.manualVetoed, "announcement vetoed");
        vm.assertEq(manual.proposableAt, handler.manualFrom(book.fixing), "first announcement");
        vm.assertEq(core.lastResortAt(book.seriesId), handler.lastResortFrom(book.fixing), "last resort");
    }

    /// @dev What the core itself once called final, with the price that it had then.
    function a_final_price_stays() private view {
        for (uint256 i = 0; i < handler.finalCount(); ++i) {
            (uint256 id, uint256 resolutionBps, uint256 finalAt) = handler.finals(i);
            IServiceCore.Series memory series = seriesOf(id);
            vm.assertTrue(series.settled, "a final price is gone");
            vm.assertEq(series.resolutionBps, resolutionBps, "a final price has changed");
            vm.assertEq(series.finalAt, finalAt, "a final price is final at another time");
        }
    }

    /// @dev The sum over its series of openInterest x maxPayoff, both of the core; series that are over keep theirs.
    function a_fixing_owes_at_most_its_cap() private view {
        uint256[] memory owed = new uint256[](handler.fixingCount() + 1);
        uint256[] memory ids = new uint256[](owed.length);
        for (uint256 i = 0; i < handler.bookCount(); ++i) {
            Ledger.Book memory book = handler.bookAt(i);
            IServiceCore.Series memory series = seriesOf(book.seriesId);
            owed[book.fixing] += series.openInterest * uint256(series.maxPayoff);
            ids[book.fixing] = book.seriesId;
        }
        for (uint256 number = 1; number < owed.length; ++number) {
            if (ids[number] == 0) continue;
            Ledger.Fixing memory fixing = handler.fixingAt(number);
            vm.assertEq(owed[number] + handler.retiredOwed(number), fixing.owed, "owed by the ledger");
            IServiceCore.Exposure memory exposure = core.exposureOf(ids[number]);
            vm.assertEq(exposure.cap, fixing.cap, "cap of the fixing");
            vm.assertEq(exposure.owed, fixing.cap == 0 ? 0 : fixing.owed, "exposure");
            vm.assertTrue(exposure.owed <= exposure.cap, "exposure above the cap");
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
        vm.assertEq(core.holderOf(IRoles.Role.Halter), handler.halter(), "halter");
        vm.assertEq(core.resolutionSigner(), handler.signer(), "signer");
        vm.assertEq(core.signerVacantSince(), handler.vacantSince(), "vacant since");
        vm.assertEq(core.signerTerm(), handler.terms(), "term");
        vm.assertEq(core.defaultCap(), handler.defaultCap(), "default cap");
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
        a_final_price_stays();
        for (uint256 i = 0; i < handler.retiredCount(); ++i) {
            Ledger.Book memory book = handler.retiredAt(i);
            is_what_the_ledger_says(book);
            uint256 cap = handler.fixingAt(book.fixing).cap;
            uint256 owed = cap == 0 ? 0 : handler.fixingAt(book.fixing).owed;
            vm.assertEq(core.exposureOf(book.seriesId).owed, owed, "exposure of what is over");
        }
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
        (names[9], selectors[9]) = ("withdrawAcceptance", handler.withdrawAcceptance.selector);
        (names[10], selectors[10]) = ("close", handler.close.selector);
        (names[11], selectors[11]) = ("claimAsHolder", handler.claimAsHolder.selector);
        (names[12], selectors[12]) = ("claimAsWriter", handler.claimAsWriter.selector);
        (names[13], selectors[13]) = ("claimMany", handler.claimMany.selector);
        (names[14], selectors[14]) = ("claimFor", handler.claimFor.selector);
        (names[15], selectors[15]) = ("everybodyClaims", handler.everybodyClaims.selector);
        (names[16], selectors[16]) = ("settleByAttestation", handler.settleByAttestation.selector);
        (names[17], selectors[17]) = ("settleByHand", handler.settleByHand.selector);
        (names[18], selectors[18]) = ("announceInVain", handler.announceInVain.selector);
        (names[19], selectors[19]) = ("vetoAnnouncement", handler.vetoAnnouncement.selector);
        (names[20], selectors[20]) = ("settleFromCondition", handler.settleFromCondition.selector);
        (names[21], selectors[21]) = ("veto", handler.veto.selector);
        (names[22], selectors[22]) = ("revokeAfterPrice", handler.revokeAfterPrice.selector);
        (names[23], selectors[23]) = ("replaceAfterPrice", handler.replaceAfterPrice.selector);
        (names[24], selectors[24]) = ("refuseSecondResolution", handler.refuseSecondResolution.selector);
        (names[25], selectors[25]) = ("refuseEarlyClaim", handler.refuseEarlyClaim.selector);
        (names[26], selectors[26]) = ("haltAndResume", handler.haltAndResume.selector);
        (names[27], selectors[27]) = ("setCap", handler.setCap.selector);
        (names[28], selectors[28]) = ("setRole", handler.setRole.selector);
        (names[29], selectors[29]) = ("changeSigner", handler.changeSigner.selector);
        (names[30], selectors[30]) = ("revokeSigner", handler.revokeSigner.selector);
        (names[31], selectors[31]) = ("announceRoleInVain", handler.announceRoleInVain.selector);
        (names[32], selectors[32]) = ("changeOwner", handler.changeOwner.selector);
        (names[33], selectors[33]) = ("changeGuardian", handler.changeGuardian.selector);
        (names[34], selectors[34]) = ("refuseStrangeSigner", handler.refuseStrangeSigner.selector);
        (names[35], selectors[35]) = ("stranger", handler.stranger.selector);
        (names[36], selectors[36]) = ("officer", handler.officer.selector);
        (names[37], selectors[37]) = ("pass", handler.pass.selector);
        (names[38], selectors[38]) = ("fillFromInventory", handler.fillFromInventory.selector);
        (names[39], selectors[39]) = ("createPackage", handler.createPackage.selector);
        (names[40], selectors[40]) = ("createSibling", handler.createSibling.selector);
        (names[41], selectors[41]) = ("refuseWrongPair", handler.refuseWrongPair.selector);
        (names[42], selectors[42]) = ("refuseAfterTrading", handler.refuseAfterTrading.selector);
        (names[43], selectors[43]) = ("fillFor", handler.fillFor.selector);
        (names[44], selectors[44]) = ("fillWithPayment", handler.fillWithPayment.selector);
        (names[45], selectors[45]) = ("refuseRevokedKey", handler.refuseRevokedKey.selector);
        (names[46], selectors[46]) = ("revokeAllKeys", handler.revokeAllKeys.selector);
        (names[47], selectors[47]) = ("refuseOverstep", handler.refuseOverstep.selector);
        (names[48], selectors[48]) = ("fillWithPartnerFee", handler.fillWithPartnerFee.selector);
    }

    function positionsIn(uint256 seriesId) private view returns (uint256 longs, uint256 shorts) {
        for (uint256 j = 0; j < handler.actorCount(); ++j) {
            longs += core.balanceOf(handler.actors(j), seriesId);
            shorts += core.shortOf(seriesId, handler.actors(j));
        }
    }
}

/// @title DisputedSolvencyTest
/// @notice The same campaign runs with prices that can be taken back for two hours, and trading that ends an hour before expiry.
contract DisputedSolvencyTest is SolvencyTest {
    function window() internal pure override returns (uint64) {
        return 2 hours;
    }

    function cutoff() internal pure override returns (uint64) {
        return 1 hours;
    }
}
