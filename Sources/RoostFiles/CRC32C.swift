import CRoostKernels

/// The checksum CRC-32C (Castagnoli; RFC 3720, appendix B.4).
///
/// It detects every error burst of up to 32 bits, and is computed at the speed of memory.
package enum CRC32C {
    /// Returns the checksum of a sequence of bytes.
    ///
    /// - Parameter crc: The checksum of the preceding bytes; 0 at the beginning.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, after crc: UInt32 = 0) -> UInt32 {
        roost_crc32c(crc, bytes.baseAddress, bytes.count)
    }
}
