internal import BitCollections

/// A set of row numbers, one bit a row.
///
/// - Complexity: membership O(1); memory one bit for each number up to the largest.
public struct RowSet: Sendable, Hashable, Sequence, ExpressibleByArrayLiteral {
    private var bits: BitSet

    public init() { bits = BitSet() }

    public init(_ rows: some Sequence<UInt32>) {
        bits = BitSet(rows.lazy.map { Int($0) })
    }

    public init(arrayLiteral rows: UInt32...) { self.init(rows) }

    /// All rows of a range.
    public init(_ range: Range<UInt32>) { bits = BitSet(Int(range.lowerBound)..<Int(range.upperBound)) }

    public var isEmpty: Bool { bits.isEmpty }

    /// - Complexity: O(largest row / 64).
    public var count: Int { bits.count }

    public func contains(_ row: UInt32) -> Bool { bits.contains(Int(row)) }

    public mutating func insert(_ row: UInt32) { bits.insert(Int(row)) }

    public mutating func remove(_ row: UInt32) { bits.remove(Int(row)) }

    public mutating func formIntersection(_ other: RowSet) { bits.formIntersection(other.bits) }

    /// The rows, ascending.
    public func makeIterator() -> AnyIterator<UInt32> {
        var iterator = bits.makeIterator()
        return AnyIterator { iterator.next().map { UInt32($0) } }
    }

    /// The rows as runs of numbers that follow each other, ascending.
    ///
    /// - Parameter gap: runs with so many other numbers between them, or fewer, are one.
    package func runs(joiningGapsUpTo gap: UInt32) -> [Range<UInt32>] {
        var runs: [Range<UInt32>] = []
        for row in self {
            if let last = runs.last, row - last.upperBound <= gap {
                runs[runs.count - 1] = last.lowerBound..<row + 1
            } else {
                runs.append(row..<row + 1)
            }
        }
        return runs
    }
}
