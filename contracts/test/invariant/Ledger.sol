// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// @title Ledger
/// @notice The ghost ledger holds what every account should have. It follows the specification, in signed arithmetic and plain sums,
/// and never asks the contracts.
abstract contract Ledger {
    /// @dev The one price of a market and expiry, and what its series can have to pay.
    struct Fixing {
        uint256 expiry;
        uint256 cap;
        uint256 owed;
        uint256 resolutionBps;
        uint256 finalAt;
        uint256 term;
        bool vetoed;
        uint256 manualBps;
        uint256 manualAt;
        bool manualVetoed;
    }

    struct Book {
        uint256 seriesId;
        uint256 fixing;
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
        uint256 openInterest;
        uint256 longs;
        uint256 shorts;
    }

    uint256 internal constant MOST_OPTIONS = 2 ** 68 - 1;

    /// @dev Fixings by number, from 1: the first is at 0.
    Fixing[] internal fixings;
    /// @dev In these series an account has or may get a position.
    Book[] internal books;
    /// @dev These series have a final price and no position left.
    Book[] internal retired;
    /// @dev Micro-dollars that those of a fixing count against its cap for ever: claims give no room back.
    mapping(uint256 fixing => uint256) public retiredOwed;
    mapping(uint256 seriesId => mapping(address actor => uint256)) public longOf;
    mapping(uint256 seriesId => mapping(address actor => uint256)) public shortOf;
    mapping(address actor => uint256) public cashOf;
    /// @dev Acceptances of shorts that an account has used up, and times that it has revoked all its keys.
    mapping(address actor => uint256) public acceptances;
    mapping(address actor => uint256) public epochs;

    /// @dev Second since which there is no signer; 0 while there is one.
    uint256 public vacantSince;
    /// @dev Appointments of signers, the first by the deployment.
    uint256 public terms = 1;

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

    function fixingCount() external view returns (uint256) {
        return fixings.length;
    }

    /// @param number From 1.
    function fixingAt(uint256 number) public view returns (Fixing memory) {
        return fixings[number - 1];
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

    /// @dev Micro-dollars an option pays at the price of its fixing.
    function payoffOf(Book memory book) public view returns (uint256) {
        return uint256(worthOf(book, fixingBy(book.fixing).resolutionBps) - book.floor);
    }

    function hasPrice(Book memory book) public view returns (bool) {
        return fixingBy(book.fixing).finalAt != 0;
    }

    function isFinal(Book memory book) public view returns (bool) {
        return hasPrice(book) && block.timestamp >= fixingBy(book.fixing).finalAt;
    }

    /// @dev Options that can still be written, by the size of the word and by the cap.
    function roomIn(Book memory book) public view returns (uint256 room) {
        room = MOST_OPTIONS - book.openInterest;
        Fixing storage fixing = fixingBy(book.fixing);
        if (fixing.cap == 0) return room;
        uint256 underCap = (fixing.cap - fixing.owed) / book.most;
        return underCap < room ? underCap : room;
    }

    /// @dev Second from which the owner may announce a price.
    function manualFrom(uint256 number) public view returns (uint256) {
        Fixing storage fixing = fixingBy(number);
        if (fixing.manualVetoed) return fixing.expiry + 30 days;
        if (vacantSince == 0) return fixing.expiry + 3 days;
        return (vacantSince > fixing.expiry ? vacantSince : fixing.expiry) + 7 days;
    }

    /// @dev Second from which the market's own resolution may be taken.
    function lastResortFrom(uint256 number) public view returns (uint256 from) {
        Fixing storage fixing = fixingBy(number);
        from = fixing.expiry + (fixing.manualVetoed ? 7 days : 30 days);
        if (vacantSince == 0) return from;
        uint256 vacant = (vacantSince > fixing.expiry ? vacantSince : fixing.expiry) + 3 days;
        return vacant < from ? vacant : from;
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
        fixingBy(book.fixing).owed += amount * book.most;
    }

    function bookTransfer(uint256 index, address from, address to, uint256 amount) internal {
        longOf[books[index].seriesId][from] -= amount;
        longOf[books[index].seriesId][to] += amount;
    }

    function bookShortMove(uint256 index, address from, address to, uint256 amount) internal {
        shortOf[books[index].seriesId][from] -= amount;
        shortOf[books[index].seriesId][to] += amount;
        ++acceptances[to];
    }

    function bookClose(uint256 index, address account, uint256 amount, address to) internal {
        Book storage book = books[index];
        longOf[book.seriesId][account] -= amount;
        shortOf[book.seriesId][account] -= amount;
        cashOf[to] += amount * book.most;
        book.longs -= amount;
        book.shorts -= amount;
        book.openInterest -= amount;
        fixingBy(book.fixing).owed -= amount * book.most;
    }

    /// @dev A price ends the announcement.
    /// @param term Of the signer that attested the price; 0 where no signer did.
    function bookPrice(uint256 index, uint256 resolutionBps, uint256 finalAt, uint256 term) internal {
        Fixing storage fixing = fixingBy(books[index].fixing);
        (fixing.resolutionBps, fixing.finalAt, fixing.term) = (resolutionBps, finalAt, term);
        bookAnnouncement(index, 0, 0);
    }

    function bookVeto(uint256 index) internal {
        bookPrice(index, 0, 0, 0);
        fixingBy(books[index].fixing).vetoed = true;
    }

    function bookAnnouncement(uint256 index, uint256 resolutionBps, uint256 executableAt) internal {
        Fixing storage fixing = fixingBy(books[index].fixing);
        (fixing.manualBps, fixing.manualAt) = (resolutionBps, executableAt);
    }

    function bookManualVeto(uint256 index) internal {
        bookAnnouncement(index, 0, 0);
        fixingBy(books[index].fixing).manualVetoed = true;
    }

    /// @dev The signer in office is revoked: what it booked and is not final has no price.
    function bookRevocation() internal {
        for (uint256 i = 0; i < fixings.length; ++i) {
            Fixing storage fixing = fixings[i];
            if (fixing.term != terms || block.timestamp >= fixing.finalAt) continue;
            (fixing.resolutionBps, fixing.finalAt, fixing.term) = (0, 0, 0);
        }
        vacantSince = block.timestamp;
    }

    function bookAppointment() internal {
        ++terms;
        vacantSince = 0;
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
            retiredOwed[book.fixing] += book.openInterest * book.most;
            books[index - 1] = books[books.length - 1];
            books.pop();
        }
    }

    function fixingBy(uint256 number) internal view returns (Fixing storage) {
        return fixings[number - 1];
    }
}
