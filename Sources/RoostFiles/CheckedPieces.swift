import Synchronization

/// A section's bytes in pieces, each of which is compared with its checksum when it is first read.
///
/// Unchecked because it holds pointers: to bytes that are mapped read-only, which whoever made this keeps
/// alive, and to atomic values of its own.
public final class CheckedPieces: @unchecked Sendable {
    private let bytes: UnsafeRawBufferPointer
    private let size: Int
    private let checksums: UnsafeBufferPointer<UInt32>
    /// Which pieces are as they were written. Two threads may find it out at once.
    private let isWhole: UnsafeMutableBufferPointer<Atomic<Bool>>

    init(of bytes: UnsafeRawBufferPointer, size: Int, checksums: UnsafeBufferPointer<UInt32>) {
        precondition(checksums.count == (bytes.count + size - 1) / size)
        (self.bytes, self.size, self.checksums) = (bytes, size, checksums)
        isWhole = .allocate(capacity: checksums.count)
        for piece in checksums.indices { isWhole.initializeElement(at: piece, to: Atomic(false)) }
    }

    deinit {
        isWhole.deinitialize()
        isWhole.deallocate()
    }

    /// Whether these bytes are as they were written.
    ///
    /// - Complexity: O(1) where they were asked for before, otherwise that of reading their pieces.
    public func areWhole(_ range: Range<Int>) -> Bool {
        guard !range.isEmpty else { return true }
        for piece in range.lowerBound / size...(range.upperBound - 1) / size {
            guard !isWhole[piece].load(ordering: .relaxed) else { continue }
            let start = piece * size
            let read = UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + size, bytes.count)])
            guard CRC32C.checksum(read) == UInt32(littleEndian: checksums[piece]) else { return false }
            isWhole[piece].store(true, ordering: .relaxed)
        }
        return true
    }
}
