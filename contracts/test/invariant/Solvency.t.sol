// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../src/IServiceCore.sol";
import {World} from "../support/World.sol";
import {Handler} from "./Handler.sol";
import {Ledger} from "./Ledger.sol";

/// @title What holds after every step of any history
contract SolvencyTest is World {
    struct FuzzSelector {
        address addr;
        bytes4[] selectors;
    }

    Handler private handler;

    function setUp() public override {
        super.setUp();
        handler = new Handler(usd, core, settlement, owner, SIGNER_KEY);
        usd.grantRole(usd.MINTER_ROLE(), address(handler));
        handler.start();
    }

    function targetContracts() external view returns (address[] memory targets) {
        targets = new address[](1);
        targets[0] = address(handler);
    }

    /// @dev Only the actions; `start` and `exitAll` are the test's own. Fills stand twice, they feed all the others.
    function targetSelectors() external view returns (FuzzSelector[] memory targets) {
        targets = new FuzzSelector[](1);
        targets[0].addr = address(handler);
        bytes4[19] memory actions = [
            Handler.fill.selector,
            Handler.fill.selector,
            Handler.fillBatch.selector,
            Handler.fillWithPermit.selector,
            Handler.refuseUsedNonce.selector,
            Handler.cancel.selector,
            Handler.transferLongs.selector,
            Handler.close.selector,
            Handler.settleByAttestation.selector,
            Handler.settleByHand.selector,
            Handler.refuseSecondResolution.selector,
            Handler.claimAsHolder.selector,
            Handler.claimAsWriter.selector,
            Handler.everybodyClaims.selector,
            Handler.everybodyClaims.selector,
            Handler.haltAndResume.selector,
            Handler.changeSigner.selector,
            Handler.pass.selector,
            Handler.fillBatch.selector
        ];
        targets[0].selectors = new bytes4[](actions.length);
        for (uint256 i = 0; i < actions.length; ++i) {
            targets[0].selectors[i] = actions[i];
        }
    }

    /// @dev One invariant, so that one campaign of random calls serves all five.
    function invariant_every_option_and_every_micro_dollar_is_where_the_ledger_says() external view {
        the_core_holds_exactly_what_it_owes();
        longs_equal_shorts_and_until_settlement_the_open_interest();
        everybody_has_what_the_ledger_says();
        a_resolution_never_changes_and_terms_never_do();
        the_settlement_contract_holds_nothing();
    }

    function the_core_holds_exactly_what_it_owes() private view {
        uint256 owed;
        for (uint256 i = 0; i < handler.bookCount(); ++i) {
            Ledger.Book memory book = handler.bookAt(i);
            uint256 most = core.maxPayoff(book.seriesId);
            if (!book.settled) {
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
            if (book.settled) continue;
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
            vm.assertEq(series.strikeBps, book.strikeBps, "strike");
            vm.assertEq(series.optionType, book.put ? 1 : 0, "type");
            vm.assertTrue(series.settled == book.settled, "settled");
            vm.assertTrue(series.halted == book.halted, "halted");
            vm.assertEq(series.resolutionBps, book.resolutionBps, "resolution");
            vm.assertEq(core.maxPayoff(book.seriesId), handler.mostOf(book), "most");
            if (book.settled) vm.assertEq(core.payoff(book.seriesId), handler.payoffOf(book), "payoff");
        }
    }

    function the_settlement_contract_holds_nothing() private view {
        vm.assertEq(usd.balanceOf(address(settlement)), 0, "stablecoin");
        vm.assertEq(address(settlement).balance, 0, "ether");
        for (uint256 i = 0; i < handler.bookCount(); ++i) {
            vm.assertEq(core.balanceOf(address(settlement), handler.bookAt(i).seriesId), 0, "options");
        }
    }

    function a_used_nonce_never_clears() private view {
        for (uint256 i = 0; i < handler.usedCount(); ++i) {
            (address maker_, uint256 nonce) = handler.used(i);
            vm.assertTrue(settlement.isNonceUsed(maker_, nonce), "nonce");
        }
    }

    function afterInvariant() external {
        string[16] memory actions = [
            "fill",
            "fillBatch",
            "fillWithPermit",
            "refuseUsedNonce",
            "cancel",
            "transferLongs",
            "close",
            "settleByAttestation",
            "settleByHand",
            "refuseSecondResolution",
            "claimAsHolder",
            "claimAsWriter",
            "everybodyClaims",
            "haltAndResume",
            "changeSigner",
            "pass"
        ];
        for (uint256 i = 0; i < actions.length; ++i) {
            vm.assertTrue(handler.done(actions[i]) >= 3, string.concat("too few of ", actions[i]));
        }
        a_used_nonce_never_clears();
        handler.exitAll(uint256(keccak256(abi.encode(block.timestamp, handler.usedCount()))));
        vm.assertEq(usd.balanceOf(address(core)), 0, "the core is empty when all have left");
        everybody_has_what_the_ledger_says();
    }

    function positionsIn(uint256 seriesId) private view returns (uint256 longs, uint256 shorts) {
        for (uint256 j = 0; j < handler.actorCount(); ++j) {
            longs += core.balanceOf(handler.actors(j), seriesId);
            shorts += core.shortOf(seriesId, handler.actors(j));
        }
    }
}
