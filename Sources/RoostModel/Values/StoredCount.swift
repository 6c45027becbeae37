extension Int {
    /// Whether a store accepts the value as a number of objects: it is from 0 to 2^32 - 1.
    var isStorableCount: Bool { self >= 0 && self < 1 << 32 }
}

extension KeyedDecodingContainer {
    /// Decodes a number of objects in a store.
    ///
    /// Rows have 32-bit numbers, so no store has more objects. Within this range, sums and small multiples of
    /// counts cannot overflow.
    ///
    /// - Throws: `DecodingError` if the number is negative or at least 2^32.
    package func decodeCount(forKey key: Key) throws -> Int {
        let count = try decode(Int.self, forKey: key)
        guard count.isStorableCount else {
            throw DecodingError.dataCorruptedError(
                forKey: key, in: self, debugDescription: "the number \(count) is out of range")
        }
        return count
    }
}
