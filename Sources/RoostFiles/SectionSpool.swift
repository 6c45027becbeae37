package import Foundation

/// Collects the bytes of a section of a ``SectionFile`` that is too large to be kept in memory, in a
/// temporary file without a name. The file disappears with the last reference to it, or when the process
/// ends.
package struct SectionSpool {
    private let file: FileDescriptor
    /// The number of bytes that have been appended.
    package private(set) var count = 0
    private var blocks = ChunkChecksums(size: SectionFile.blockSize)
    private var pages = ChunkChecksums(size: SectionFile.pageSize)

    /// Creates an empty spool on the file system of a folder.
    ///
    /// - Throws: ``FileError``.
    package init(in folder: URL) throws {
        let path = AtomicFile.temporaryPath(for: folder.appendingPathComponent("section").path)
        file = try FileDescriptor(path, O_RDWR | O_CREAT | O_EXCL)
        unlink(path)
    }

    /// Appends bytes.
    ///
    /// - Throws: ``FileError``.
    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        try file.write(bytes)
        blocks.add(bytes)
        pages.add(bytes)
        count += bytes.count
    }

    /// Returns the complete section.
    package func finish() -> SpooledSection {
        SpooledSection(file: file, count: count, blocks: blocks.values, pages: pages.values)
    }
}
