// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

import {IServiceCore} from "../../src/IServiceCore.sol";
import {IServiceRFQSettlement} from "../../src/IServiceRFQSettlement.sol";
import {Market} from "./Market.sol";
import {IERC1155Errors} from "@openzeppelin/contracts/interfaces/draft-IERC6093.sol";

/// @title Trading
/// @notice These actions are those of makers, takers, holders and writers.
abstract contract Trading is Market {
    function fill(uint128 seed, uint256 amount, uint256 premium, bool makerSelling) external {
        uint256 index = liveBook(seed);
        fillOne(index, orderFor(index, seed, amount, premium, makerSelling));
        ++done["fill"];
    }

    function fillBatch(uint128 seed, uint256 size, uint256 amount, uint256 premium) external {
        (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures, uint256[] memory indexes) =
            batch(seed, size, amount, premium);
        vm.prank(orders[0].taker);
        settlement.fillBatch(orders, signatures);
        for (uint256 i = 0; i < orders.length; ++i) {
            bookOrder(indexes[i], orders[i]);
        }
        ++done["fillBatch"];
    }

    /// @dev Orders that are cancelled, expired or not signed are left out.
    function fillMany(uint128 seed, uint256 size, uint256 amount, uint256 premium) external {
        (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures, uint256[] memory indexes) =
            batch(seed, size, amount, premium);
        uint256 faults = uint256(keccak256(abi.encode("faults", seed)));
        bool[] memory isBad = new bool[](orders.length);
        for (uint256 i = 0; i < orders.length; ++i) {
            uint256 fault = faults >> (8 * i) & 7;
            isBad[i] = fault < 3;
            if (fault == 0) signatures[i] = new bytes(65);
            if (fault == 1) orders[i].validUntil = block.timestamp - 1;
            if (fault == 2) {
                vm.prank(orders[i].maker);
                settlement.cancelNonce(orders[i].nonce);
                used.push(Used(orders[i].maker, orders[i].nonce));
            }
        }
        vm.prank(orders[0].taker);
        bool[] memory filled = settlement.fillMany(orders, signatures);
        for (uint256 i = 0; i < orders.length; ++i) {
            vm.assertTrue(filled[i] != isBad[i], "the good ones are filled and no others");
            if (filled[i]) bookOrder(indexes[i], orders[i]);
        }
        ++done["fillMany"];
    }

    /// @dev The permit's value is exactly what is needed, so afterwards the actor's endless approval is given again.
    function fillWithPermit(uint128 seed, uint256 amount, uint256 premium, bool makerSelling) external {
        uint256 index = liveBook(seed);
        IServiceRFQSettlement.Order memory order = orderFor(index, seed, amount, premium, makerSelling);
        order.taker = actors[(seed >> 16) % 4];
        if (order.maker == order.taker) order.maker = actors[4];
        address spender = makerSelling ? address(settlement) : address(core);
        uint256 value = makerSelling ? order.premiumAmount : order.optionAmount * books[index].most;
        bytes memory signature = signed(order);
        IServiceRFQSettlement.Permit memory permit = permitOf(order.taker, spender, value, block.timestamp + seed % 999);
        vm.prank(order.taker);
        settlement.fillWithPermit(order, signature, permit);
        vm.assertEq(usd.allowance(order.taker, spender), 0, "the permit was used up");
        vm.prank(order.taker);
        usd.approve(spender, type(uint256).max);
        bookOrder(index, order);
        ++done["fillWithPermit"];
    }

    /// @dev A holder sells, as maker or as taker, some of what it holds and writes the rest; a taker that buys closes some of
    /// what it has written.
    function fillFromInventory(uint128 seed, uint256 amount, uint256 fromInventory, uint256 closeAfter) external {
        uint256 index = liveBook(seed);
        if (books[index].longs == 0) fillOne(index, orderFor(index, seed, amount, 0, true));
        if (!isLive(books[index])) return;
        IServiceRFQSettlement.Order memory order = orderFor(index, seed | 1, amount, amount, seed & 2 == 0);
        uint256 id = order.seriesId;
        address seller = holderIn(index, seed >> 8);
        address buyer = actorAt(seed >> 16);
        if (buyer == seller) buyer = seller == actors[0] ? actors[1] : actors[0];
        (order.maker, order.taker) = order.makerSelling ? (seller, buyer) : (buyer, seller);
        fromInventory = bound(fromInventory, 0, least(order.optionAmount, longOf[id][seller]));
        closeAfter = order.makerSelling ? bound(closeAfter, 0, least(order.optionAmount, shortOf[id][buyer])) : 0;
        bytes memory signature = signed(order);
        if (fromInventory > 0 && seed & 28 == 0) refuseWithoutApproval(order, signature, fromInventory, seller);
        (address partner, uint16 bps, uint256 share) = partnerOf(order, seed);
        vm.prank(order.taker);
        settlement.fillFromInventory(order, signature, fromInventory, closeAfter, partner, bps);
        bookShare(order.taker, partner, share);
        used.push(Used(order.maker, order.nonce));
        bookTrade(index, seller, buyer, order.optionAmount - fromInventory, order.premiumAmount);
        bookTransfer(index, seller, buyer, fromInventory);
        bookClose(index, buyer, closeAfter, buyer);
        ++done["fillFromInventory"];
    }

    function refuseWithoutApproval(
        IServiceRFQSettlement.Order memory order,
        bytes memory signature,
        uint256 fromInventory,
        address seller
    ) private {
        approveInventory(seller, false);
        vm.expectRevert(
            abi.encodeWithSelector(IERC1155Errors.ERC1155MissingApprovalForAll.selector, address(settlement), seller)
        );
        vm.prank(order.taker);
        settlement.fillFromInventory(order, signature, fromInventory, 0, address(0), 0);
        approveInventory(seller, true);
    }

    function least(uint256 a, uint256 b) private pure returns (uint256) {
        return a < b ? a : b;
    }

    /// @dev Anyone makes another package of the legs of a market, unless a leg is halted, it is there already, or it pays the
    /// same everywhere.
    function createPackage(uint128 seed, address anybody) external {
        Book memory package = books[packageBook(seed)];
        package.quantities = quantitiesOf(uint256(keccak256(abi.encode("quantities", seed))), package.legCount);
        uint256 id = idOf(package);
        (, uint256 most) = rangeOf(package);
        uint256 halted = haltedLegOf(package);
        uint256 legs = packed(package);
        bool isRefused = true;
        if (halted < package.legCount) {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesHalted.selector, idOf(legOf(package, halted))));
        } else if (most == 0) {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.PayoffConstant.selector, legs));
        } else if (indexOf(id) < books.length) {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesExists.selector, id));
        } else {
            isRefused = false;
        }
        vm.prank(anybody);
        core.createPackage(package.conditionId, package.token, uint64(package.expiry), legs);
        if (!isRefused) bookAnew(package);
        ++done["createPackage"];
    }

    /// @dev One more strike of a fixing that is there: it has the cap of its fixing, and no pair of token and collateral is looked at.
    function createSibling(uint128 seed, address collateral) external {
        Book memory book = legOf(books[packageBook(seed)], 0);
        book.puts[0] = seed & 1 == 0;
        book.strikes[0] = 1 + (seed >> 8) % 9999;
        uint256 id = idOf(book);
        bool isThere = indexOf(id) < books.length;
        if (isThere) {
            vm.expectRevert(abi.encodeWithSelector(IServiceCore.SeriesExists.selector, id));
            vm.prank(owner);
            core.createSeries(
                book.conditionId,
                book.token,
                collateral,
                uint16(book.strikes[0]),
                uint64(book.expiry),
                book.puts[0] ? 1 : 0
            );
        } else {
            register(book, collateral);
        }
        ++done["createSibling"];
    }

    /// @dev A token of another market, or of another collateral, makes no fixing.
    function refuseWrongPair(uint128 seed, address collateral) external {
        Book memory book = books[packageBook(seed)];
        if (seed & 1 == 0) collateral = address(usd);
        else if (collateral == address(usd)) collateral = address(core);
        bytes32 condition = seed & 1 == 0 ? keccak256(abi.encode(book.conditionId)) : book.conditionId;
        uint64 expiry = uint64(book.expiry + 1 + seed % 1 days);
        bytes memory reason =
            abi.encodeWithSelector(IServiceCore.ConditionMismatch.selector, condition, book.token, collateral);
        vm.expectRevert(reason);
        vm.prank(owner);
        core.createSeries(condition, book.token, collateral, 5000, expiry, 0);
        ++done["refuseWrongPair"];
    }

    /// @dev Trading ends at the cut-off, to the second: nothing is written, sold or packaged from then on.
    function refuseAfterTrading(uint128 seed) external {
        uint256 index = packageBook(seed);
        uint256 end = endOf(books[index]);
        IServiceRFQSettlement.Order memory order = orderFor(index, seed, 1, 0, true);
        passTo(end - 1);
        order.validUntil = end;
        fillOne(index, order);
        passTo(end);
        order.nonce = nextNonce++;
        bytes memory signature = signed(order);
        bytes memory reason = abi.encodeWithSelector(IServiceCore.TradingEnded.selector, order.seriesId, end);
        vm.expectRevert(reason);
        vm.prank(order.taker);
        settlement.fill(order, signature);
        // The former taker sells what it has just bought.
        (order.maker, order.taker) = (order.taker, order.maker);
        signature = signed(order);
        vm.expectRevert(reason);
        vm.prank(order.taker);
        settlement.fillFromInventory(order, signature, order.optionAmount, 0, address(0), 0);
        Book memory package = books[index];
        reason = abi.encodeWithSelector(IServiceCore.TradingEnded.selector, idOf(legOf(package, 0)), end);
        vm.expectRevert(reason);
        core.createPackage(package.conditionId, package.token, uint64(package.expiry), packed(package));
        replenish();
        ++done["refuseAfterTrading"];
    }

    function bookAnew(Book memory package) private {
        (package.halted, package.openInterest, package.longs, package.shorts) = (false, 0, 0, 0);
        bookSeries(package);
    }

    function haltedLegOf(Book memory package) private view returns (uint256 leg) {
        while (leg < package.legCount && !books[indexOf(idOf(legOf(package, leg)))].halted) ++leg;
    }

    /// @dev A package that is traded.
    function packageBook(uint256 seed) private returns (uint256) {
        for (uint256 i = 0; i < books.length; ++i) {
            uint256 index = (seed + i) % books.length;
            if (books[index].isPackage && isLive(books[index])) return index;
        }
        openMarket();
        return books.length - 1;
    }

    function refuseUsedNonce(uint128 seed) external {
        if (used.length == 0) used.push(cancelOne(actorAt(seed)));
        Used memory spent = used[seed % used.length];
        IServiceRFQSettlement.Order memory order = orderFor(liveBook(seed), seed, 1, 0, true);
        order.maker = spent.maker;
        order.taker = actors[spent.maker == actors[0] ? 1 : 0];
        order.nonce = spent.nonce;
        bytes memory signature = signed(order);
        vm.expectRevert(abi.encodeWithSelector(IServiceRFQSettlement.NonceUsed.selector, spent.maker, spent.nonce));
        vm.prank(order.taker);
        settlement.fill(order, signature);
        ++done["refuseUsedNonce"];
    }

    /// @dev One option more than the cap of the fixing, or the word of the series, has room for; and just as many.
    function refuseAboveCap(uint128 seed) external {
        uint256 index = liveBook(seed);
        IServiceRFQSettlement.Order memory order = orderFor(index, seed, 1, 0, true);
        Book memory book = books[index];
        Fixing memory fixing = fixingAt(book.fixing);
        uint256 room = roomIn(book);
        order.optionAmount = room + 1;
        bytes memory signature = signed(order);
        bytes memory reason = abi.encodeWithSelector(
            IServiceCore.AmountTooLarge.selector, order.seriesId, book.openInterest, order.optionAmount
        );
        if (room < MOST_OPTIONS - book.openInterest) {
            reason = abi.encodeWithSelector(
                IServiceCore.ExposureAboveCap.selector,
                order.seriesId,
                fixing.owed,
                order.optionAmount * book.most,
                fixing.cap
            );
        }
        vm.expectRevert(reason);
        vm.prank(order.taker);
        settlement.fill(order, signature);
        if (seed & 7 == 0) {
            --order.optionAmount;
            fillOne(index, order);
            replenish();
        }
        ++done["refuseAboveCap"];
    }

    function cancel(uint128 seed, uint8 way) external {
        address maker = actorAt(seed);
        if (way % 3 == 0) {
            used.push(cancelOne(maker));
        } else if (way % 3 == 1) {
            uint256 mask = uint256(keccak256(abi.encode(seed))) & 0xff;
            nextNonce = (nextNonce | 0xff) + 1;
            vm.prank(maker);
            settlement.cancelNonces(nextNonce >> 8, mask);
            for (uint256 bit = 0; bit < 8; ++bit) {
                if (mask >> bit & 1 == 1) used.push(Used(maker, nextNonce + bit));
            }
            nextNonce += 8;
        } else {
            cancelRange(maker, seed % 600);
        }
        ++done["cancel"];
    }

    function cancelRange(address maker, uint256 size) private {
        (uint256 first, uint256 last) = (nextNonce, nextNonce + size);
        vm.prank(maker);
        settlement.cancelNonceRange(first, last);
        vm.assertTrue(!settlement.isNonceUsed(maker, last + 1), "after the range");
        used.push(Used(maker, first));
        used.push(Used(maker, (first + last) / 2));
        used.push(Used(maker, last));
        nextNonce = last + 1;
    }

    function transferLongs(uint128 seed, uint256 amount) external {
        uint256 index = tradedBook(seed);
        address holder = holderIn(index, seed);
        address to = actorAt(seed >> 8);
        amount = bound(amount, 1, longOf[books[index].seriesId][holder]);
        vm.prank(holder);
        core.safeTransferFrom(holder, to, books[index].seriesId, amount, "");
        bookTransfer(index, holder, to, amount);
        ++done["transferLongs"];
    }

    function moveShort(uint128 seed, uint256 amount) external {
        uint256 index = tradedBook(seed);
        address from = writerIn(index, seed);
        // All its writers may have claimed already.
        if (from == address(0)) return;
        address to = actorAt(seed >> 8);
        uint256 id = books[index].seriesId;
        amount = bound(amount, 1, shortOf[id][from]);
        uint256 deadline = block.timestamp + seed % 99;
        bytes32 digest = core.hashShortTransfer(from, to, id, amount, acceptances[to], deadline);
        bytes memory acceptance = sign(keys[to], digest);
        vm.prank(from);
        core.moveShort(to, id, amount, deadline, acceptance);
        bookShortMove(index, from, to, amount);
        // The same acceptance counts once.
        vm.prank(from);
        (bool passed,) =
            address(core).call(abi.encodeCall(IServiceCore.moveShort, (to, id, amount, deadline, acceptance)));
        vm.assertTrue(!passed, "accepted once");
        ++done["moveShort"];
    }

    /// @dev Who has accepted a short takes that back, and the short stays where it is.
    function withdrawAcceptance(uint128 seed) external {
        uint256 index = tradedBook(seed);
        address from = writerIn(index, seed);
        // All its writers may have claimed already.
        if (from == address(0)) return;
        address to = actorAt(seed >> 8);
        uint256 id = books[index].seriesId;
        uint256 nonce = acceptances[to];
        bytes memory acceptance = sign(keys[to], core.hashShortTransfer(from, to, id, 1, nonce, block.timestamp));
        vm.prank(to);
        vm.assertEq(core.useNonce(), nonce, "nonce used");
        ++acceptances[to];
        bytes32 wanted = core.hashShortTransfer(from, to, id, 1, nonce + 1, block.timestamp);
        vm.expectRevert(abi.encodeWithSelector(IServiceCore.AcceptanceInvalid.selector, to, wanted));
        vm.prank(from);
        core.moveShort(to, id, 1, block.timestamp, acceptance);
        ++done["withdrawAcceptance"];
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

    function claimAsHolder(uint128 seed, uint256 amount, bool elsewhere) external {
        uint256 index = finalBook(seed);
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
        uint256 index = finalBook(seed);
        address writer = writerIn(index, seed);
        if (writer == address(0)) return;
        address to = elsewhere ? actorAt(seed >> 16) : writer;
        vm.prank(writer);
        if (elsewhere) core.claimWriterCollateralTo(books[index].seriesId, to);
        else core.claimWriterCollateral(books[index].seriesId);
        bookWriterClaim(index, writer, to);
        ++done["claimAsWriter"];
    }

    /// @dev Everything of one account in every final series, one of them named twice.
    function claimMany(uint128 seed) external {
        uint256 first = finalBook(seed);
        uint256[] memory ids = new uint256[](books.length + 1);
        address account = actorAt(seed >> 8);
        address to = actorAt(seed >> 16);
        uint256 count;
        for (uint256 i = 0; i < books.length; ++i) {
            if (!isFinal(books[i])) continue;
            ids[count++] = books[i].seriesId;
        }
        ids[count++] = books[first].seriesId;
        assembly ("memory-safe") {
            mstore(ids, count)
        }
        uint256 before = cashOf[to];
        vm.prank(account);
        uint256 paid = core.claimMany(ids, to);
        for (uint256 i = 0; i < books.length; ++i) {
            if (isFinal(books[i])) bookClaimAll(i, account, to);
        }
        vm.assertEq(paid, cashOf[to] - before, "paid at once");
        ++done["claimMany"];
    }

    /// @dev Anyone sends the claim, and the account is paid.
    function claimFor(uint128 seed, address anybody) external {
        uint256 index = finalBook(seed);
        address account = actorAt(seed >> 8);
        vm.prank(anybody);
        core.claimAllFor(account, books[index].seriesId);
        bookClaimAll(index, account, account);
        ++done["claimFor"];
    }

    function everybodyClaims(uint128 seed) external {
        exitFrom(finalBook(seed), seed);
        replenish();
        ++done["everybodyClaims"];
    }

    /// @dev Both sides of all actors claim, from a random one on, holders or writers first.
    function exitFrom(uint256 index, uint256 seed) internal {
        uint256 id = books[index].seriesId;
        uint256 exits = actors.length * 2;
        for (uint256 i = 0; i < exits; ++i) {
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

    /// @dev Up to four good orders of one taker.
    function batch(uint256 seed, uint256 size, uint256 amount, uint256 premium)
        private
        returns (IServiceRFQSettlement.Order[] memory orders, bytes[] memory signatures, uint256[] memory indexes)
    {
        size = bound(size, 1, 4);
        orders = new IServiceRFQSettlement.Order[](size);
        signatures = new bytes[](size);
        indexes = new uint256[](size);
        address taker = actorAt(seed);
        for (uint256 i = 0; i < size; ++i) {
            // Odd, so that each is small and all fit into their series.
            uint256 random = uint256(keccak256(abi.encode(seed, i))) | 1;
            indexes[i] = liveBook(random);
            orders[i] = orderFor(indexes[i], random, amount % 1e6, premium, random & 2 == 0);
            // What four series of one fixing may owe together has room for four orders of one option.
            if (roomIn(books[indexes[i]]) < 1e9) (orders[i].optionAmount, orders[i].premiumAmount) = (1, 0);
            orders[i].taker = taker;
            if (orders[i].maker == taker) orders[i].maker = actorAt(seed + 1);
            signatures[i] = signed(orders[i]);
        }
    }

    function permitOf(address wallet, address spender, uint256 value, uint256 deadline)
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
                deadline
            )
        );
        (uint8 v, bytes32 r, bytes32 s) =
            vm.sign(keys[wallet], keccak256(abi.encodePacked("\x19\x01", usd.DOMAIN_SEPARATOR(), structHash)));
        return IServiceRFQSettlement.Permit(value, deadline, v, r, s);
    }
}
