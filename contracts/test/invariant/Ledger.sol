// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title The ghost ledger: what every account should have, kept apart from the contracts and in other words
/// @notice Written from the specification, in signed arithmetic and plain sums; it never asks the contracts.
abstract contract Ledger {
    struct Book {
        uint256 seriesId;
        uint256 expiry;
        uint256 strikeBps;
        bool put;
        bool halted;
        bool settled;
        uint256 resolutionBps;
        uint256 openInterest;
        uint256 longs;
        uint256 shorts;
    }

    /// @dev Series in which somebody has or may get a position.
    Book[] internal books;
    /// @dev Settled series that everybody has left.
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

    function retiredCount() external view returns (uint256) {
        return retired.length;
    }

    function retiredAt(uint256 index) external view returns (Book memory) {
        return retired[index];
    }

    /// @dev Micro-dollars locked for one option.
    function mostOf(Book memory book) public pure returns (uint256) {
        return book.put ? book.strikeBps * 100 : 1_000_000 - book.strikeBps * 100;
    }

    /// @dev Micro-dollars an option pays at the book's resolution.
    function payoffOf(Book memory book) public pure returns (uint256) {
        int256 call = int256(book.resolutionBps * 10_000) - int256(book.strikeBps * 100);
        int256 value = book.put ? -call : call;
        return value > 0 ? uint256(value) : 0;
    }

    function bookTrade(uint256 index, address writer, address holder, uint256 amount, uint256 premium) internal {
        Book storage book = books[index];
        cashOf[holder] -= premium;
        cashOf[writer] += premium;
        cashOf[writer] -= amount * mostOf(book);
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

    function bookClose(uint256 index, address account, uint256 amount, address to) internal {
        Book storage book = books[index];
        longOf[book.seriesId][account] -= amount;
        shortOf[book.seriesId][account] -= amount;
        cashOf[to] += amount * mostOf(book);
        book.longs -= amount;
        book.shorts -= amount;
        if (!book.settled) book.openInterest -= amount;
        retireIfLeft(index);
    }

    function bookSettle(uint256 index, uint256 resolutionBps) internal {
        books[index].settled = true;
        books[index].resolutionBps = resolutionBps;
        retireIfLeft(index);
    }

    function bookHolderClaim(uint256 index, address holder, uint256 amount, address to) internal {
        longOf[books[index].seriesId][holder] -= amount;
        books[index].longs -= amount;
        cashOf[to] += amount * payoffOf(books[index]);
        retireIfLeft(index);
    }

    function bookWriterClaim(uint256 index, address writer, address to) internal {
        Book storage book = books[index];
        uint256 amount = shortOf[book.seriesId][writer];
        cashOf[to] += amount * (mostOf(book) - payoffOf(book));
        shortOf[book.seriesId][writer] = 0;
        book.shorts -= amount;
        retireIfLeft(index);
    }

    function retireIfLeft(uint256 index) internal {
        Book storage book = books[index];
        if (!book.settled || book.longs + book.shorts > 0) return;
        retired.push(book);
        books[index] = books[books.length - 1];
        books.pop();
    }
}
