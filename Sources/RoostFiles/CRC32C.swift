import CRoostKernels

/// CRC-32C (Castagnoli, RFC 3720 B.4): finds every change of up to 32 neighbouring bits, at the speed of
/// memory.
public enum CRC32C {
    /// - Parameter crc: the checksum of the bytes before; 0 to begin.
    public static func checksum(_ bytes: UnsafeRawBufferPointer, after crc: UInt32 = 0) -> UInt32 {
        roost_crc32c(crc, bytes.baseAddress, bytes.count)
    }
}
