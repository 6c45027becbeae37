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

/// The CRC-32C of consecutive parts of the same size of a stream of bytes; the last part may be shorter.
struct ChunkChecksums {
    private let size: Int
    private var complete: [UInt32] = []
    private var current: UInt32 = 0
    private var length = 0

    init(size: Int) { self.size = size }

    static func values(of bytes: UnsafeRawBufferPointer, size: Int) -> [UInt32] {
        var checksums = ChunkChecksums(size: size)
        checksums.add(bytes)
        return checksums.values
    }

    var values: [UInt32] { length > 0 ? complete + [current] : complete }

    mutating func add(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(size - length)
            current = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: part), after: current)
            length += part.count
            rest = rest.dropFirst(part.count)
            if length == size {
                complete.append(current)
                (current, length) = (0, 0)
            }
        }
    }
}

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
