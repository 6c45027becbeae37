/// The hash function FNV-1a (Fowler, Noll, Vo) with 64 bits, and its variant with 32 bits.
///
/// Its values are the same in all processes, unlike those of the standard library, and are part of formats:
/// the vectors of the lexical model and the keys of messages without an id depend on them.
package enum FNV1a {
    /// The hash of no bytes.
    @inlinable package static var offsetBasis: UInt64 { 0xCBF2_9CE4_8422_2325 }

    /// Returns the hash of some bytes and one more byte.
    ///
    /// - Parameter hash: The hash of the preceding bytes. It is computed byte by byte, so one pass yields the
    ///   hashes of all prefixes of a word.
    @inlinable @inline(__always)
    package static func appending(_ byte: UInt8, to hash: UInt64) -> UInt64 {
        (hash ^ UInt64(byte)) &* 0x100_0000_01B3
    }

    /// Returns the hash of bytes.
    ///
    /// - Parameter start: The hash of the preceding bytes, or another value if hashes of several kinds must
    ///   differ.
    @inlinable
    package static func hash(of bytes: some Sequence<UInt8>, from start: UInt64 = offsetBasis) -> UInt64 {
        var hash = start
        for byte in bytes { hash = appending(byte, to: hash) }
        return hash
    }

    /// Returns the hash of bytes by the variant with 32 bits.
    package static func hash32(of bytes: some Sequence<UInt8>) -> UInt32 {
        bytes.reduce(2_166_136_261) { ($0 ^ UInt32($1)) &* 16_777_619 }
    }
}
