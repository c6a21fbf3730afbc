// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Ledger
/// @notice The ghost ledger holds what every account should have. It follows the specification, in signed arithmetic and plain sums,
/// and never asks the contracts.
abstract contract Ledger {
    struct Book {
        uint256 seriesId;
        bytes32 conditionId;
        uint256 token;
        uint256 expiry;
        bool isPackage;
        uint256 legCount;
        int256[4] quantities;
        bool[4] puts;
        uint256[4] strikes;
        int256 floor;
        uint256 most;
        bool halted;
        bool vetoed;
        uint256 cap;
        uint256 finalAt;
        uint256 resolutionBps;
        uint256 openInterest;
        uint256 longs;
        uint256 shorts;
    }

    /// @dev In these series an account has or may get a position.
    Book[] internal books;
    /// @dev These series have a final price and no position left.
    Book[] internal retired;
    mapping(uint256 seriesId => mapping(address actor => uint256)) public longOf;
    mapping(uint256 seriesId => mapping(address actor => uint256)) public shortOf;
    mapping(address actor => uint256) public cashOf;

    function bookCount() external view returns (uint256) {
        return books.length;
    }

    function bookAt(uint256 index) external view returns (Book memory) {
        return books[index];
    }

    /// @dev Micro-dollars that the legs are worth together at a resolution. A call or put is one leg.
    function worthOf(Book memory book, uint256 resolutionBps) public pure returns (int256 worth) {
        for (uint256 i = 0; i < book.legCount; ++i) {
            int256 above = int256(resolutionBps * 10_000) - int256(book.strikes[i] * 100);
            if (book.puts[i]) above = -above;
            if (above > 0) worth += book.quantities[i] * above;
        }
    }

    /// @dev The least that the legs are worth at any resolution, and how much more it can be: what is locked for one option.
    function rangeOf(Book memory book) internal pure returns (int256 floor, uint256 most) {
        floor = type(int256).max;
        int256 top = type(int256).min;
        for (uint256 resolution = 0; resolution <= 100; ++resolution) {
            int256 worth = worthOf(book, resolution);
            if (worth < floor) floor = worth;
            if (worth > top) top = worth;
        }
        most = uint256(top - floor);
    }

    /// @dev Micro-dollars an option pays at the book's resolution.
    function payoffOf(Book memory book) public pure returns (uint256) {
        return uint256(worthOf(book, book.resolutionBps) - book.floor);
    }

    function hasPrice(Book memory book) public pure returns (bool) {
        return book.finalAt != 0;
    }

    function isFinal(Book memory book) public view returns (bool) {
        return hasPrice(book) && block.timestamp >= book.finalAt;
    }

    function bookTrade(uint256 index, address writer, address holder, uint256 amount, uint256 premium) internal {
        Book storage book = books[index];
        cashOf[holder] -= premium;
        cashOf[writer] += premium;
        cashOf[writer] -= amount * book.most;
        longOf[book.seriesId][holder] += amount;
        shortOf[book.seriesId][writer] += amount;
        book.openInterest += amount;
        book.longs += amount;
        book.shorts += amount;
    }

    function bookTransfer(uint256 index, address from, address to, uint256 amount) internal {
        longOf[books[index].seriesId][from] -= amount;
        longOf[books[index].seriesId][to] += amount;
    }

    function bookShortMove(uint256 index, address from, address to, uint256 amount) internal {
        shortOf[books[index].seriesId][from] -= amount;
        shortOf[books[index].seriesId][to] += amount;
    }

    function bookClose(uint256 index, address account, uint256 amount, address to) internal {
        Book storage book = books[index];
        longOf[book.seriesId][account] -= amount;
        shortOf[book.seriesId][account] -= amount;
        cashOf[to] += amount * book.most;
        book.longs -= amount;
        book.shorts -= amount;
        if (!isFinal(book)) book.openInterest -= amount;
    }

    function bookPrice(uint256 index, uint256 resolutionBps, uint256 finalAt) internal {
        (books[index].resolutionBps, books[index].finalAt) = (resolutionBps, finalAt);
    }

    function bookVeto(uint256 index) internal {
        bookPrice(index, 0, 0);
        books[index].vetoed = true;
    }

    function bookHolderClaim(uint256 index, address holder, uint256 amount, address to) internal {
        longOf[books[index].seriesId][holder] -= amount;
        books[index].longs -= amount;
        cashOf[to] += amount * payoffOf(books[index]);
    }

    function bookWriterClaim(uint256 index, address writer, address to) internal {
        Book storage book = books[index];
        uint256 amount = shortOf[book.seriesId][writer];
        cashOf[to] += amount * (book.most - payoffOf(book));
        shortOf[book.seriesId][writer] = 0;
        book.shorts -= amount;
    }

    /// @dev Both sides of an account.
    function bookClaimAll(uint256 index, address account, address to) internal {
        bookHolderClaim(index, account, longOf[books[index].seriesId][account], to);
        bookWriterClaim(index, account, to);
    }

    /// @dev Removes the series that have no position left.
    function retireWhatIsOver() internal {
        for (uint256 index = books.length; index > 0; --index) {
            Book storage book = books[index - 1];
            if (!isFinal(book) || book.longs + book.shorts > 0) continue;
            retired.push(book);
            books[index - 1] = books[books.length - 1];
            books.pop();
        }
    }
}
