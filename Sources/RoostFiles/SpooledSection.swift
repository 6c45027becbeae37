package import Foundation

/// The bytes of a section of a ``SectionFile`` in a temporary file (``SectionSpool``), and their checksums.
package struct SpooledSection: Sendable {
    let file: FileDescriptor
    /// The number of bytes.
    package let count: Int
    /// The checksums of the blocks and pages of a ``SectionFile``.
    let blocks: [UInt32]
    let pages: [UInt32]

    /// The size of the buffer with which the bytes are copied, in bytes.
    private static let copyBufferSize = 4 << 20

    /// Returns the bytes at an offset, or fewer if the section ends before.
    ///
    /// - Throws: ``FileError``.
    package func read(at offset: Int, count: Int) throws -> Data { try file.read(at: offset, count: count) }

    /// Writes all bytes to another file.
    func write(to target: FileDescriptor) throws {
        for offset in stride(from: 0, to: count, by: Self.copyBufferSize) {
            let data = try file.read(at: offset, count: min(Self.copyBufferSize, count - offset))
            try data.withUnsafeBytes { try target.write($0) }
        }
    }
}
