import CRoostKernels
import Synchronization

/// The CRC-32C checksum (Castagnoli; RFC 3720, appendix B.4).
///
/// It detects every error burst of up to 32 bits, and is computed about as fast as memory can be read.
package enum CRC32C {
    /// - Parameter crc: The checksum of the preceding bytes; 0 for the first ones.
    package static func checksum(_ bytes: UnsafeRawBufferPointer, after crc: UInt32 = 0) -> UInt32 {
        roost_crc32c(crc, bytes.baseAddress, bytes.count)
    }
}

/// The bytes of a section of a ``SectionFile``, divided into pages. Each page is compared with its checksum
/// when it is first accessed.
///
/// `Sendable` is unchecked because the class holds two pointers: one to bytes that are mapped read-only and
/// that the owner of the file keeps alive longer than this object, and one to atomic values that this object
/// owns.
package final class CheckedPages: @unchecked Sendable {
    /// The size of a memory page, the smallest unit that is read from a mapped file.
    private static let size = 4 << 10

    let bytes: UnsafeRawBufferPointer
    private let checksums: UnsafeBufferPointer<UInt32>
    /// For each page, whether its checksum has been found to match. Two threads may check the same page at
    /// the same time.
    private let isVerified: UnsafeMutableBufferPointer<Atomic<Bool>>

    /// - Parameter checksums: The checksum of each page, in little-endian order.
    init(of bytes: UnsafeRawBufferPointer, checksums: UnsafeBufferPointer<UInt32>) {
        precondition(checksums.count == Self.count(of: bytes.count))
        (self.bytes, self.checksums) = (bytes, checksums)
        isVerified = .allocate(capacity: checksums.count)
        for page in checksums.indices { isVerified.initializeElement(at: page, to: Atomic(false)) }
    }

    deinit {
        isVerified.deinitialize()
        isVerified.deallocate()
    }

    /// Returns the number of pages of a section.
    static func count(of length: Int) -> Int { (length + size - 1) / size }

    private static func checksum(of page: Int, in bytes: UnsafeRawBufferPointer) -> UInt32 {
        let content = bytes[page * size..<min((page + 1) * size, bytes.count)]
        return CRC32C.checksum(UnsafeRawBufferPointer(rebasing: content)).littleEndian
    }

    static func checksums(of bytes: UnsafeRawBufferPointer) -> [UInt32] {
        (0..<count(of: bytes.count)).map { checksum(of: $0, in: bytes) }
    }

    /// - Complexity: O(1) per page that was verified before, otherwise linear in the size of the page.
    package func areIntact(_ range: Range<Int>) -> Bool {
        guard !range.isEmpty else { return true }
        for page in range.lowerBound / Self.size...(range.upperBound - 1) / Self.size {
            guard !isVerified[page].load(ordering: .relaxed) else { continue }
            guard Self.checksum(of: page, in: bytes) == checksums[page] else { return false }
            isVerified[page].store(true, ordering: .relaxed)
        }
        return true
    }
}
