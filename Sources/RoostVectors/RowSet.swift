internal import BitCollections

/// A set of row numbers, stored as a bit set.
///
/// - Complexity: Membership takes O(1). Memory is one bit for each number up to the largest member.
public struct RowSet: Sendable, Hashable, Sequence, ExpressibleByArrayLiteral {
    private var bits: BitSet

    /// Creates an empty set.
    public init() { bits = BitSet() }

    /// Creates a set of the given rows.
    public init(_ rows: some Sequence<UInt32>) { bits = BitSet(rows.lazy.map { Int($0) }) }

    /// Creates a set of the rows of a range that satisfy a condition.
    ///
    /// - Complexity: O(the upper bound). Faster than inserting the rows one by one.
    package init(_ range: Range<UInt32>, where isMember: (UInt32) throws -> Bool) rethrows {
        var words = [UInt](repeating: 0, count: (Int(range.upperBound) + UInt.bitWidth - 1) / UInt.bitWidth)
        for row in range where try isMember(row) {
            let (word, bit) = Int(row).quotientAndRemainder(dividingBy: UInt.bitWidth)
            words[word] |= 1 << UInt(bit)
        }
        bits = BitSet(words: words)
    }

    /// Creates a set from an array literal.
    public init(arrayLiteral rows: UInt32...) { self.init(rows) }

    /// Creates a set of all rows in a range.
    public init(_ range: Range<UInt32>) { bits = BitSet(Int(range.lowerBound)..<Int(range.upperBound)) }

    /// Whether the set has no members.
    public var isEmpty: Bool { bits.isEmpty }

    /// The number of members.
    ///
    /// - Complexity: O(largest row / 64).
    public var count: Int { bits.count }

    /// Returns whether the row is a member.
    ///
    /// - Complexity: O(1).
    public func contains(_ row: UInt32) -> Bool { bits.contains(Int(row)) }

    /// Adds a row.
    public mutating func insert(_ row: UInt32) { bits.insert(Int(row)) }

    /// Removes a row; does nothing if it is not a member.
    public mutating func remove(_ row: UInt32) { bits.remove(Int(row)) }

    /// Removes the rows that are not members of `other`.
    public mutating func formIntersection(_ other: RowSet) { bits.formIntersection(other.bits) }

    /// Returns an iterator over the members, ascending.
    public func makeIterator() -> AnyIterator<UInt32> {
        var iterator = bits.makeIterator()
        return AnyIterator { iterator.next().map { UInt32($0) } }
    }
}
