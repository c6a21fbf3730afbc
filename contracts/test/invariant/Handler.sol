// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {ServiceCore} from "../../src/ServiceCore.sol";
import {ServiceRFQSettlement} from "../../src/ServiceRFQSettlement.sol";
import {TestUSD} from "../../src/TestUSD.sol";
import {Test} from "../support/Test.sol";
import {Ledger} from "./Ledger.sol";

/// @title Everything that users, the owner and the signer can do, in any order
/// @notice Each action turns random numbers into a call that must succeed and books it in the ghost ledger, or skips
/// when there is nothing to do it with. `done` counts the successes of each.
contract Handler is Test, Ledger {
    uint256 private constant LIVE = 4;
    uint256 private constant FUNDS = 1e18;

    TestUSD private immutable usd;
    ServiceCore private immutable core;
    ServiceRFQSettlement private immutable settlement;
    address private immutable owner;

    address[] public actors;
    mapping(address actor => uint256) private keys;
    uint256 private signerKey;
    uint256 private nextNonce;
    uint256 private nextCondition;

    mapping(string action => uint256) public done;

    /// @dev Nonces that were filled or cancelled, to see that none clears.
    struct Used {
        address maker;
        uint256 nonce;
    }

    Used[] public used;

    constructor(TestUSD usd_, ServiceCore core_, ServiceRFQSettlement settlement_, address owner_, uint256 signerKey_) {
        (usd, core, settlement, owner, signerKey) = (usd_, core_, settlement_, owner_, signerKey_);
    }

    /// @dev Called once by the test, which may mint.
    function start() external {
        for (uint256 i = 1; i <= 6; ++i) {
            address actor = vm.addr(i * 7919);
            actors.push(actor);
            keys[actor] = i * 7919;
            usd.mint(actor, FUNDS);
            cashOf[actor] = FUNDS;
            vm.prank(actor);
            usd.approve(address(core), type(uint256).max);
            vm.prank(actor);
            usd.approve(address(settlement), type(uint256).max);
        }
        replenish();
    }

    function fill(uint128 seed, uint256 amount, uint256 premium, bool makerSelling) external {
        uint256 index = liveBook(seed);
        fillOne(index, orderFor(index, seed, amount, premium, makerSelling));
        ++done["fill"];
    }

    function fillBatch(uint128 seed, uint256 size, uint256 amount, uint256 premium) external {
        size = bound(size, 1, 4);
        IServiceRFQSettlement.Order[] memory orders = new IServiceRFQSettlement.Order[](size);
        bytes[] memory signatures = new bytes[](size);
        uint256[] memory indexes = new uint256[](size);
        address taker = actorAt(seed);
        for (uint256 i = 0; i < size; ++i) {
            uint256 random = uint256(keccak256(abi.encode(seed, i)));
            indexes[i] = liveBook(random);
            orders[i] = orderFor(indexes[i], random, amount, premium, random & 1 == 0);
            orders[i].taker = taker;
            if (orders[i].maker == taker) orders[i].maker = actorAt(uint256(seed) + 1);
            signatures[i] = signed(orders[i]);
        }
        vm.prank(taker);
        settlement.fillBatch(orders, signatures);
        for (uint256 i = 0; i < size; ++i) {
            bookOrder(indexes[i], orders[i]);
        }
        ++done["fillBatch"];
    }

    /// @dev The permit's value is exactly what is needed, so afterwards the actor's endless approval is given again.
    function fillWithPermit(uint128 seed, uint256 amount, uint256 premium, bool makerSelling) external {
        uint256 index = liveBook(seed);
        IServiceRFQSettlement.Order memory order = orderFor(index, seed, amount, premium, makerSelling);
        address spender = makerSelling ? address(settlement) : address(core);
        uint256 value = makerSelling ? order.premiumAmount : order.optionAmount * mostOf(books[index]);
        bytes memory signature = signed(order);
        IServiceRFQSettlement.Permit memory permit = permitOf(order.taker, spender, value);
        vm.prank(order.taker);
        settlement.fillWithPermit(order, signature, permit);
        vm.assertEq(usd.allowance(order.taker, spender), 0, "the permit was used up");
        vm.prank(order.taker);
        usd.approve(spender, type(uint256).max);
        bookOrder(index, order);
        ++done["fillWithPermit"];
    }

    function refuseUsedNonce(uint128 seed) external {
        if (used.length == 0) used.push(cancelOne(actorAt(seed)));
        Used memory spent = used[seed % used.length];
        IServiceRFQSettlement.Order memory order = orderFor(liveBook(seed), seed, 1, 0, true);
        order.maker = spent.maker;
        order.taker = actorAt(actorIndex(spent.maker) + 1);
        order.nonce = spent.nonce;
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NonceUsed.selector, spent.maker, spent.nonce));
        vm.prank(order.taker);
        settlement.fill(order, signature);
        ++done["refuseUsedNonce"];
    }

    function cancel(uint128 seed, bool byMask) external {
        address maker = actorAt(seed);
        if (byMask) {
            uint256 mask = uint256(keccak256(abi.encode(seed))) & 0xff;
            nextNonce = (nextNonce | 0xff) + 1;
            vm.prank(maker);
            settlement.cancelNonces(nextNonce >> 8, mask);
            for (uint256 bit = 0; bit < 8; ++bit) {
                if (mask >> bit & 1 == 1) used.push(Used(maker, nextNonce + bit));
            }
            nextNonce += 8;
        } else {
            used.push(cancelOne(maker));
        }
        ++done["cancel"];
    }

    function transferLongs(uint128 seed, uint256 amount) external {
        uint256 index = tradedBook(seed);
        address holder = holderIn(index, seed);
        address to = actorAt(actorIndex(holder) + 1 + seed % 5);
        amount = bound(amount, 1, longOf[books[index].seriesId][holder]);
        vm.prank(holder);
        core.safeTransferFrom(holder, to, books[index].seriesId, amount, "");
        bookTransfer(index, holder, to, amount);
        ++done["transferLongs"];
    }

    function close(uint128 seed, uint256 amount) external {
        (uint256 index, address account) = twoSided(seed);
        uint256 id = books[index].seriesId;
        uint256 most = longOf[id][account] < shortOf[id][account] ? longOf[id][account] : shortOf[id][account];
        amount = bound(amount, 1, most);
        address to = actorAt(seed >> 8);
        vm.prank(account);
        core.closePosition(id, amount, to);
        bookClose(index, account, amount, to);
        ++done["close"];
    }

    function settleByAttestation(uint128 seed, uint16 resolutionBps, address relayer) external {
        settleOne(expiredBook(seed), uint16(bound(resolutionBps, 0, 100)), seed % 1000, relayer);
        replenish();
        ++done["settleByAttestation"];
    }

    function settleByHand(uint128 seed, uint16 resolutionBps) external {
        uint256 index = expiredBook(seed);
        resolutionBps = uint16(bound(resolutionBps, 0, 100));
        passTo(books[index].expiry + 3 days);
        vm.prank(owner);
        core.proposeManual(books[index].seriesId, resolutionBps);
        passTo(block.timestamp + 24 hours);
        vm.prank(owner);
        core.executeManual(books[index].seriesId);
        bookSettle(index, resolutionBps);
        replenish();
        ++done["settleByHand"];
    }

    function refuseSecondResolution(uint128 seed, uint16 resolutionBps) external {
        uint256 index = settledBook(seed);
        uint256 id = books[index].seriesId;
        bytes memory signature = sign(signerKey, core.hashAttestation(id, resolutionBps, block.timestamp));
        try core.settleWithAttestation(id, resolutionBps, block.timestamp, signature) {
            vm.assertTrue(false, "settled twice");
        } catch {
            ++done["refuseSecondResolution"];
        }
    }

    function claimAsHolder(uint128 seed, uint256 amount, bool elsewhere) external {
        uint256 index = settledBook(seed);
        address holder = holderIn(index, seed);
        if (holder == address(0)) return;
        amount = bound(amount, 1, longOf[books[index].seriesId][holder]);
        address to = elsewhere ? actorAt(seed >> 16) : holder;
        vm.prank(holder);
        if (elsewhere) core.claimHolderPayoutTo(books[index].seriesId, amount, to);
        else core.claimHolderPayout(books[index].seriesId, amount);
        bookHolderClaim(index, holder, amount, to);
        ++done["claimAsHolder"];
    }

    function claimAsWriter(uint128 seed, bool elsewhere) external {
        uint256 index = settledBook(seed);
        address writer = writerIn(index, seed);
        if (writer == address(0)) return;
        address to = elsewhere ? actorAt(seed >> 16) : writer;
        vm.prank(writer);
        if (elsewhere) core.claimWriterCollateralTo(books[index].seriesId, to);
        else core.claimWriterCollateral(books[index].seriesId);
        bookWriterClaim(index, writer, to);
        ++done["claimAsWriter"];
    }

    function haltAndResume(uint128 seed) external {
        uint256 index = liveBook(seed);
        uint256[] memory ids = new uint256[](1);
        ids[0] = books[index].seriesId;
        vm.prank(owner);
        core.setHalted(ids, true);
        books[index].halted = true;
        replenish();
        (uint256 halted, bool found) = haltedBook(seed >> 8);
        if (found && halted != index) {
            ids[0] = books[halted].seriesId;
            vm.prank(owner);
            core.setHalted(ids, false);
            books[halted].halted = false;
        }
        ++done["haltAndResume"];
    }

    function changeSigner(uint256 key) external {
        key = bound(key, 1, 1e60);
        vm.prank(owner);
        core.proposeResolutionSigner(vm.addr(key));
        passTo(block.timestamp + 3 days);
        vm.prank(owner);
        core.acceptResolutionSigner();
        signerKey = key;
        replenish();
        ++done["changeSigner"];
    }

    function pass(uint256 time) external {
        passTo(block.timestamp + bound(time, 1, 1 days));
        replenish();
        ++done["pass"];
    }

    function everybodyClaims(uint128 seed) external {
        uint256 index = settledBook(seed);
        exitFrom(index, seed);
        ++done["everybodyClaims"];
    }

    /// @dev The end of every run: all series settle and everybody takes what is theirs, series by series and actor by
    /// actor in random order.
    function exitAll(uint256 seed) external {
        while (books.length > 0) {
            seed = uint256(keccak256(abi.encode(seed)));
            uint256 index = seed % books.length;
            uint256 left = books.length;
            if (!books[index].settled) {
                passTo(books[index].expiry);
                settleOne(index, uint16(seed >> 64) % 101, 0, address(this));
            }
            if (books.length == left) exitFrom(index, seed);
        }
    }

    /// @dev Both sides of all actors claim, from a random one on, holders or writers first.
    function exitFrom(uint256 index, uint256 seed) private {
        uint256 id = books[index].seriesId;
        uint256 left = books.length;
        uint256 exits = actors.length * 2;
        for (uint256 i = 0; i < exits && books.length == left; ++i) {
            uint256 exit = (seed + i * 5) % exits;
            address actor = actors[exit / 2];
            uint256 amount = longOf[id][actor];
            if (exit & 1 == 0 && amount > 0) {
                vm.prank(actor);
                core.claimHolderPayout(id, amount);
                bookHolderClaim(index, actor, amount, actor);
            }
            if (exit & 1 == 1 && shortOf[id][actor] > 0) {
                vm.prank(actor);
                core.claimWriterCollateral(id);
                bookWriterClaim(index, actor, actor);
            }
        }
    }

    function actorCount() external view returns (uint256) {
        return actors.length;
    }

    function usedCount() external view returns (uint256) {
        return used.length;
    }

    function orderFor(uint256 index, uint256 seed, uint256 amount, uint256 premium, bool makerSelling)
        private
        returns (IServiceRFQSettlement.Order memory)
    {
        amount = bound(amount, 1, 1e6);
        return IServiceRFQSettlement.Order({
            maker: actorAt(seed),
            seriesId: books[index].seriesId,
            optionAmount: amount,
            premiumAmount: bound(premium, 0, amount * mostOf(books[index])),
            makerSelling: makerSelling,
            taker: actorAt(seed + 1 + (seed >> 32) % 5),
            validUntil: block.timestamp + seed % 1000,
            nonce: nextNonce++
        });
    }

    function bookOrder(uint256 index, IServiceRFQSettlement.Order memory order) private {
        used.push(Used(order.maker, order.nonce));
        if (order.makerSelling) bookTrade(index, order.maker, order.taker, order.optionAmount, order.premiumAmount);
        else bookTrade(index, order.taker, order.maker, order.optionAmount, order.premiumAmount);
    }

    /// @dev Keeps at least `LIVE` series open for trading.
    function replenish() private {
        uint256 live;
        for (uint256 i = 0; i < books.length; ++i) {
            if (isLive(books[i])) ++live;
        }
        for (; live < LIVE; ++live) {
            uint256 random = uint256(keccak256(abi.encode("series", ++nextCondition)));
            uint16 strikeBps = uint16(bound(random, 1, 9999));
            uint64 expiry = uint64(block.timestamp + bound(random >> 64, 1 days, 60 days));
            uint8 optionType = uint8(random >> 255);
            vm.prank(owner);
            uint256 id = core.createSeries(bytes32(nextCondition), 0, strikeBps, expiry, optionType);
            books.push(Book(id, expiry, strikeBps, optionType == 1, false, false, 0, 0, 0, 0));
        }
    }

    function passTo(uint256 time) private {
        if (time > block.timestamp) vm.warp(time);
    }

    function isLive(Book memory book) private view returns (bool) {
        return !book.settled && !book.halted && block.timestamp < book.expiry;
    }

    function liveBook(uint256 seed) private view returns (uint256) {
        for (uint256 i = 0; i < books.length; ++i) {
            uint256 index = (seed + i) % books.length;
            if (isLive(books[index])) return index;
        }
        revert("no live series");
    }

    /// @dev An expired and unsettled series, waiting for one when there is none.
    function expiredBook(uint256 seed) private returns (uint256) {
        uint256 soonest = type(uint256).max;
        for (uint256 i = 0; i < books.length; ++i) {
            uint256 index = (seed + i) % books.length;
            if (books[index].settled) continue;
            if (block.timestamp >= books[index].expiry) return index;
            if (soonest == type(uint256).max || books[index].expiry < books[soonest].expiry) soonest = index;
        }
        passTo(books[soonest].expiry);
        return soonest;
    }

    /// @dev A settled series that somebody has not left yet, settling one when there is none.
    function settledBook(uint256 seed) private returns (uint256 index) {
        for (uint256 i = 0; i < books.length; ++i) {
            index = (seed + i) % books.length;
            if (books[index].settled) return index;
        }
        index = tradedBook(seed);
        passTo(books[index].expiry);
        settleOne(index, uint16(seed % 101), 0, address(this));
        replenish();
    }

    /// @dev A series with holders, settled or not, trading one when there is none.
    function tradedBook(uint256 seed) private returns (uint256 index) {
        for (uint256 i = 0; i < books.length; ++i) {
            index = (seed + i) % books.length;
            if (books[index].longs > 0) return index;
        }
        index = liveBook(seed);
        fillOne(index, orderFor(index, seed, seed, seed, true));
    }

    /// @dev Somebody that is on both sides of a series, trading there and back when there is nobody.
    function twoSided(uint256 seed) private returns (uint256 index, address account) {
        for (uint256 i = 0; i < books.length; ++i) {
            index = (seed + i) % books.length;
            for (uint256 j = 0; j < actors.length; ++j) {
                account = actorAt(seed + j);
                uint256 id = books[index].seriesId;
                if (longOf[id][account] > 0 && shortOf[id][account] > 0) return (index, account);
            }
        }
        index = liveBook(seed);
        IServiceRFQSettlement.Order memory order = orderFor(index, seed, seed, seed, true);
        fillOne(index, order);
        order.makerSelling = false;
        order.nonce = nextNonce++;
        fillOne(index, order);
        return (index, order.maker);
    }

    function fillOne(uint256 index, IServiceRFQSettlement.Order memory order) private {
        bytes memory signature = signed(order);
        (IServiceRFQSettlement.OrderStatus status,,,) = settlement.checkOrder(order, signature);
        vm.assertEq(uint256(status), 0, "what fills was fillable");
        vm.prank(order.taker);
        settlement.fill(order, signature);
        bookOrder(index, order);
    }

    function cancelOne(address maker) private returns (Used memory) {
        vm.prank(maker);
        settlement.cancelNonce(nextNonce);
        return Used(maker, nextNonce++);
    }

    function settleOne(uint256 index, uint16 resolutionBps, uint256 validFor, address relayer) private {
        uint256 id = books[index].seriesId;
        uint256 validUntil = block.timestamp + validFor;
        bytes memory signature = sign(signerKey, core.hashAttestation(id, resolutionBps, validUntil));
        vm.prank(relayer);
        core.settleWithAttestation(id, resolutionBps, validUntil, signature);
        bookSettle(index, resolutionBps);
    }

    function haltedBook(uint256 seed) private view returns (uint256, bool) {
        for (uint256 i = 0; i < books.length; ++i) {
            uint256 index = (seed + i) % books.length;
            if (books[index].halted) return (index, true);
        }
        return (0, false);
    }

    function holderIn(uint256 index, uint256 seed) private view returns (address) {
        for (uint256 j = 0; j < actors.length; ++j) {
            address actor = actorAt(seed + j);
            if (longOf[books[index].seriesId][actor] > 0) return actor;
        }
        return address(0);
    }

    function writerIn(uint256 index, uint256 seed) private view returns (address) {
        for (uint256 j = 0; j < actors.length; ++j) {
            address actor = actorAt(seed + j);
            if (shortOf[books[index].seriesId][actor] > 0) return actor;
        }
        return address(0);
    }

    function actorAt(uint256 seed) private view returns (address) {
        return actors[seed % actors.length];
    }

    function actorIndex(address actor) private view returns (uint256 index) {
        while (actors[index] != actor) ++index;
    }

    function signed(IServiceRFQSettlement.Order memory order) private view returns (bytes memory) {
        return sign(keys[order.maker], settlement.hashOrder(order));
    }

    function sign(uint256 key, bytes32 digest) private pure returns (bytes memory) {
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(key, digest);
        return abi.encodePacked(r, s, v);
    }

    function permitOf(address wallet, address spender, uint256 value)
        private
        view
        returns (IServiceRFQSettlement.Permit memory)
    {
        bytes32 structHash = keccak256(
            abi.encode(
                keccak256("Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)"),
                wallet,
                spender,
                value,
                usd.nonces(wallet),
                block.timestamp
            )
        );
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(keys[wallet], keccak256(abi.encodePacked("\x19\x01", usd.DOMAIN_SEPARATOR(), structHash)));
        return IServiceRFQSettlement.Permit(value, block.timestamp, v, r, s);
    }
}
