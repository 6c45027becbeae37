/// A text in UTF-8 while it is normalized, with the range of the original text from which each byte comes.
struct AlignedText: Sendable {
    private(set) var bytes: [UInt8] = []
    /// For each byte, the first offset of the original range.
    private(set) var starts: [Int32] = []
    /// For each byte, the offset after the original range.
    private(set) var ends: [Int32] = []

    /// Creates a text that has not been normalized.
    ///
    /// - Parameters:
    ///   - utf8: The bytes of a larger text.
    ///   - range: The part to take, below 2 GB; it begins and ends at characters.
    init(_ utf8: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) {
        bytes = Array(utf8[range])
        starts = range.map { Int32($0) }
        ends = range.map { Int32($0) + 1 }
    }

    /// Creates an empty text.
    ///
    /// - Parameter capacity: The expected number of bytes.
    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
        starts.reserveCapacity(capacity)
        ends.reserveCapacity(capacity)
    }

    var count: Int { bytes.count }

    /// Adds bytes that come from the same range of the original text.
    mutating func append(_ new: some Collection<UInt8>, from range: Range<Int>) {
        for byte in new {
            bytes.append(byte)
            starts.append(Int32(range.lowerBound))
            ends.append(Int32(range.upperBound))
        }
    }

    /// Adds a part of another version of the same text.
    mutating func append(_ other: AlignedText, _ range: Range<Int>) {
        bytes += other.bytes[range]
        starts += other.starts[range]
        ends += other.ends[range]
    }

    /// Returns the range of the original text from which some bytes come. The range is empty if there are no
    /// bytes.
    func origin(of range: Range<Int>) -> Range<Int> {
        guard let last = range.last else {
            let offset = Int(range.lowerBound < starts.count ? starts[range.lowerBound] : ends.last ?? 0)
            return offset..<offset
        }
        let start = Int(starts[range.lowerBound])
        return start..<max(start, Int(ends[last]))
    }

    /// Returns whether the bytes at an offset are the given ones.
    func has(_ pattern: [UInt8], at offset: Int) -> Bool {
        guard offset + pattern.count <= bytes.count else { return false }
        for index in pattern.indices where bytes[offset + index] != pattern[index] { return false }
        return true
    }

    /// Returns the length of the white space at an offset; 0 for another character.
    func lengthOfSpace(at offset: Int) -> Int {
        bytes.withUnsafeBufferPointer { WhiteSpace.length(at: offset, in: $0) }
    }
}
