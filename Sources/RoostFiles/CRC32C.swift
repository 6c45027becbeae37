import CRoostKernels

/// The CRC-32C checksum (Castagnoli; RFC 3720, appendix B.4).
///
/// It detects every error burst of up to 32 bits, and is computed about as fast as memory can be read.
package enum CRC32C {
    /// Returns the checksum of a sequence of bytes.
    ///
    /// - Parameter crc: The checksum of the preceding bytes; 0 if there are none.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, after crc: UInt32 = 0) -> UInt32 {
        roost_crc32c(crc, bytes.baseAddress, bytes.count)
    }
}
