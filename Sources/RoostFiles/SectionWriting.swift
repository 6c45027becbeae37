package import Foundation

// MARK: - Writing

extension SectionFile {
    package enum Content {
        case bytes(UnsafeRawBufferPointer)
        case spooled(SectionSpool)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .spooled(let section): section.count
            }
        }

        var blockChecksums: [UInt32] {
            switch self {
            case .bytes(let bytes): ChunkChecksums.values(of: bytes, size: SectionFile.blockSize)
            case .spooled(let section): section.blocks.values
            }
        }

        var pageChecksums: [UInt32] {
            switch self {
            case .bytes(let bytes): ChunkChecksums.values(of: bytes, size: SectionFile.pageSize)
            case .spooled(let section): section.pages.values
            }
        }

        func write(to file: FileDescriptor) throws {
            switch self {
            case .bytes(let bytes): try file.write(bytes)
            case .spooled(let section): try section.file.copy(to: file)
            }
        }
    }

    /// Replaces a file atomically with sections that are in memory.
    ///
    /// - Parameter paged: The names of the sections that get a checksum for each page (``pages(of:)``).
    /// - Throws: ``FileError``. In that case, the old file is unchanged.
    package static func write(
        to url: URL, metadata: Data, sections: [(name: String, bytes: UnsafeRawBufferPointer)],
        paged: Set<String> = [], files: FileSystem = .standard
    ) throws {
        try write(
            to: url, metadata: metadata, contents: sections.map { ($0.name, .bytes($0.bytes)) },
            paged: paged, files: files)
    }

    /// Replaces a file atomically: readers find either the complete old file or the complete new one.
    ///
    /// - Parameter paged: The names of the sections that get a checksum for each page (``pages(of:)``).
    /// - Throws: ``FileError``. In that case, the old file is unchanged.
    package static func write(
        to url: URL, metadata: Data, contents sections: [(name: String, content: Content)],
        paged: Set<String> = [], files: FileSystem = .standard
    ) throws {
        if let (name, content) = sections.first(where: { paged.contains($0.name) }) {
            let checksums = content.pageChecksums.map(\.littleEndian)
            return try checksums.withUnsafeBytes {
                try write(
                    to: url, metadata: metadata,
                    contents: [(pageChecksumsName(name), .bytes($0))] + sections,
                    paged: paged.subtracting([name]), files: files)
            }
        }
        let (header, text) = try header(of: sections, metadata: metadata)
        var start = Data(magic)
        let checksum = text.withUnsafeBytes { CRC32C.checksum($0) }
        for word in [format, UInt32(text.count), checksum, 0] {
            withUnsafeBytes(of: word.littleEndian) { start += Data($0) }
        }
        start += text
        try AtomicFile.write(to: url, files: files) { file in
            var position = start.count
            try start.withUnsafeBytes { try file.write($0) }
            for (section, source) in zip(header.sections, sections) {
                let gap = [UInt8](repeating: 0, count: section.offset - position)
                try gap.withUnsafeBytes { try file.write($0) }
                try source.content.write(to: file)
                position = section.offset + section.length
            }
        }
    }

    private static func header(
        of sections: [(name: String, content: Content)], metadata: Data
    ) throws -> (header: Header, text: Data) {
        // The length of the header and the offsets in it depend on each other. Therefore enough space is
        // reserved for the longest possible header: `metadata` in Base64, a name in which each byte is
        // escaped (\u0000), 160 bytes for a section's other fields, and 11 bytes for each checksum.
        let blocks = sections.reduce(0) { $0 + $1.content.count / blockSize + 1 }
        let names = sections.reduce(0) { $0 + 6 * $1.name.utf8.count }
        let space = 256 + metadata.count * 2 + names + sections.count * 160 + blocks * 11
        func aligned(_ offset: Int) -> Int { (offset + alignment - 1) / alignment * alignment }
        var offset = aligned(preamble + space)
        var header = Header(metadata: metadata, sections: [])
        for (name, content) in sections {
            header.sections.append(
                Section(
                    name: name, offset: offset, length: content.count, crc32c: content.blockChecksums))
            offset = aligned(offset + content.count)
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = try encoder.encode(header)
        precondition(text.count <= space, "a header of \(text.count) bytes exceeds \(space) bytes")
        return (header, text)
    }
}

/// Collects the bytes of a section of a ``SectionFile`` that is too large to be kept in memory, in a
/// temporary file without a name. The file disappears with the last reference to it, or when the process
/// ends.
package struct SectionSpool: Sendable {
    let file: FileDescriptor
    package private(set) var count = 0
    private(set) var blocks = ChunkChecksums(size: SectionFile.blockSize)
    private(set) var pages = ChunkChecksums(size: SectionFile.pageSize)

    package init(in folder: URL) throws {
        let path = AtomicFile.temporaryPath(for: folder.appendingPathComponent("section").path)
        file = try FileDescriptor(path, O_RDWR | O_CREAT | O_EXCL)
        unlink(path)
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws {
        try file.write(bytes)
        blocks.add(bytes)
        pages.add(bytes)
        count += bytes.count
    }

    /// Returns the bytes at an offset, or fewer if the section ends before.
    package func read(at offset: Int, count: Int) throws -> Data { try file.read(at: offset, count: count) }
}
