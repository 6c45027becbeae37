import Synchronization

/// The bytes of a section of a ``SectionFile``, divided into pages. Each page is compared with its checksum
/// when it is first accessed.
///
/// `Sendable` is unchecked because the class holds two pointers: one to bytes that are mapped read-only and
/// that the owner of the file keeps alive longer than this object, and one to atomic values that this object
/// owns.
package final class CheckedPages: @unchecked Sendable {
    private let bytes: UnsafeRawBufferPointer
    private let size: Int
    private let checksums: UnsafeBufferPointer<UInt32>
    /// For each page, whether its checksum has been found to match. Two threads may check the same page at
    /// the same time.
    private let isVerified: UnsafeMutableBufferPointer<Atomic<Bool>>

    init(of bytes: UnsafeRawBufferPointer, size: Int, checksums: UnsafeBufferPointer<UInt32>) {
        precondition(checksums.count == (bytes.count + size - 1) / size)
        (self.bytes, self.size, self.checksums) = (bytes, size, checksums)
        isVerified = .allocate(capacity: checksums.count)
        for page in checksums.indices { isVerified.initializeElement(at: page, to: Atomic(false)) }
    }

    deinit {
        isVerified.deinitialize()
        isVerified.deallocate()
    }

    /// Returns whether the checksums of all pages that overlap the range match.
    ///
    /// - Complexity: O(1) per page that was verified before, otherwise linear in the size of the page.
    package func areIntact(_ range: Range<Int>) -> Bool {
        guard !range.isEmpty else { return true }
        for page in range.lowerBound / size...(range.upperBound - 1) / size {
            guard !isVerified[page].load(ordering: .relaxed) else { continue }
            let start = page * size
            let content = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)])
            guard CRC32C.checksum(content) == UInt32(littleEndian: checksums[page]) else { return false }
            isVerified[page].store(true, ordering: .relaxed)
        }
        return true
    }
}
