import Dispatch
package import Foundation
import Synchronization

/// A file mapped into memory read-only; the system reads its bytes from disk on access. The file must not be
/// shortened while it is mapped.
///
/// `Sendable` is unchecked because the class holds a pointer. The bytes that it points to are never written
/// and live as long as this object.
package final class MappedFile: @unchecked Sendable {
    package let bytes: UnsafeRawBufferPointer
    package let path: String

    /// - Throws: ``FileError``, with `EINVAL` if the URL names something other than a regular file.
    package init(_ url: URL) throws {
        path = url.path
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        let file = try FileDescriptor(path, O_RDONLY | O_NONBLOCK)
        let status = try file.status()
        let size = Int(status.st_size)
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw FileError(operation: "map", path: path, errno: EINVAL)
        }
        guard size > 0 else {
            bytes = UnsafeRawBufferPointer(start: nil, count: 0)
            return
        }
        guard let base = mmap(nil, size, PROT_READ, MAP_PRIVATE, file.raw, 0), base != MAP_FAILED else {
            throw FileError.last("map", path)
        }
        bytes = UnsafeRawBufferPointer(start: base, count: size)
    }

    deinit {
        if let base = bytes.baseAddress { munmap(UnsafeMutableRawPointer(mutating: base), bytes.count) }
    }
}

/// A memory-mapped file of named sections, which holds derived data that is read in place. The file is always
/// written as a whole and never modified in place.
///
/// Layout: 24 bytes of preamble (`ROOSTSEC`; the format, 1, as UInt32; the header's length and CRC-32C as
/// UInt32; four zero bytes); the header as JSON; the sections in the header's order, each at a multiple of
/// 64 bytes. Integers are little-endian.
///
/// A section that is accessed randomly can have a checksum for each page, so only the accessed pages need to
/// be verified. In this case, the section `NAME/pieces` contains the CRC-32C of each 4 KiB page of the
/// section `NAME`, as UInt32.
package final class SectionFile: Sendable {
    struct Section: Codable {
        var name: String
        var offset: Int
        var length: Int
        /// The checksum of each block of `blockSize` bytes; the last block may be shorter.
        var crc32c: [UInt32]
    }

    struct Header: Codable {
        var metadata: Data
        var sections: [Section]
    }

    /// The error thrown when a file cannot be used because it is damaged or has an unsupported format.
    package struct Unusable: Error, Sendable, Hashable, CustomStringConvertible {
        package let description: String

        package init(description: String) { self.description = description }
    }

    private let file: MappedFile
    private let sections: [String: Section]
    private let verified = Mutex(Set<String>())
    /// The size of a memory page in bytes, the smallest unit that is read from a mapped file.
    static let pageSize = 4 << 10
    package let metadata: Data

    static let magic = Array("ROOSTSEC".utf8)
    static let format: UInt32 = 1
    static let preamble = 24
    /// Sections begin at multiples of this number of bytes, the size of a cache line, which satisfies the
    /// alignment of all SIMD loads.
    static let alignment = 64
    /// The number of bytes that each checksum covers, small enough for all cores to share the verification of
    /// a large section.
    static let blockSize = 4 << 20

    /// Opens a file, and checks its header and its length. ``verify(_:)`` checks the content of a section.
    package init(_ url: URL) throws {
        file = try MappedFile(url)
        let bytes = file.bytes
        func word(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        guard bytes.count >= Self.preamble, bytes.prefix(8).elementsEqual(Self.magic) else {
            throw Unusable(description: "\(url.path) is not an index file")
        }
        guard word(8) == Self.format else {
            throw Unusable(description: "\(url.path) has an unsupported format")
        }
        let length = Int(word(12))
        guard bytes.count >= Self.preamble + length else {
            throw Unusable(description: "\(url.path) is truncated")
        }
        let text = UnsafeRawBufferPointer(rebasing: bytes[Self.preamble..<Self.preamble + length])
        guard CRC32C.checksum(text) == word(16),
            let header = try? JSONDecoder().decode(Header.self, from: Data(text))
        else { throw Unusable(description: "\(url.path) has a damaged header") }
        var end = Self.preamble + length
        for section in header.sections {
            guard section.length >= 0, section.offset >= end, section.offset % Self.alignment == 0,
                section.length <= bytes.count - section.offset,
                section.crc32c.count == (section.length + Self.blockSize - 1) / Self.blockSize
            else { throw Unusable(description: "\(url.path) is truncated") }
            end = section.offset + section.length
        }
        guard end == bytes.count else {
            throw Unusable(description: "\(url.path) has unexpected bytes at its end")
        }
        metadata = header.metadata
        sections = Dictionary(header.sections.map { ($0.name, $0) }) { first, _ in first }
    }

    package var size: Int { file.bytes.count }

    package var checksumMismatch: Unusable {
        Unusable(description: "\(file.path) is damaged: its checksum does not match")
    }

    /// Returns the bytes of a section, aligned to 64 bytes. They remain valid as long as this object exists.
    package func section(_ name: String) throws -> UnsafeRawBufferPointer {
        let section = try record(of: name)
        return UnsafeRawBufferPointer(rebasing: file.bytes[section.offset..<section.offset + section.length])
    }

    private func record(of name: String) throws -> Section {
        guard let section = sections[name] else {
            throw Unusable(description: "\(file.path) has no section '\(name)'")
        }
        return section
    }

    /// Returns the elements of a section. They remain valid as long as this object exists.
    ///
    /// - Throws: ``Unusable`` if the file has no section of this name, or the section does not have exactly
    ///   `count` elements.
    package func section<Element: BitwiseCopyable>(
        _ name: String, of type: Element.Type, count: Int
    ) throws -> UnsafeBufferPointer<Element> {
        let bytes = try section(name)
        let (length, isTooLarge) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
        guard bytes.count == length, !isTooLarge else {
            throw Unusable(description: "\(file.path) has no section '\(name)' of \(count) elements")
        }
        return bytes.bindMemory(to: type)
    }

    /// Compares a section with its checksums. The first call for a section reads all of it, on all cores;
    /// later calls return immediately.
    package func verify(_ name: String) throws {
        guard !verified.withLock({ $0.contains(name) }) else { return }
        let section = try record(of: name)
        let isIntact = Atomic(true)
        DispatchQueue.concurrentPerform(iterations: section.crc32c.count) { [file] block in
            let start = section.offset + block * Self.blockSize
            let end = min(start + Self.blockSize, section.offset + section.length)
            let bytes = UnsafeRawBufferPointer(rebasing: file.bytes[start..<end])
            if CRC32C.checksum(bytes) != section.crc32c[block] { isIntact.store(false, ordering: .relaxed) }
        }
        guard isIntact.load(ordering: .relaxed) else { throw checksumMismatch }
        verified.withLock { _ = $0.insert(name) }
    }

    /// Returns a section whose pages are verified on access.
    ///
    /// - Returns: `nil` if the section was written without page checksums.
    package func pages(of name: String) throws -> CheckedPages? {
        let checksums = Self.pageChecksumsName(name)
        guard sections[checksums] != nil else { return nil }
        try verify(checksums)
        let bytes = try section(name)
        return CheckedPages(
            of: bytes, size: Self.pageSize,
            checksums: try section(
                checksums, of: UInt32.self, count: (bytes.count + Self.pageSize - 1) / Self.pageSize))
    }

    static func pageChecksumsName(_ section: String) -> String { section + "/pieces" }
}

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

        /// Returns the checksums of blocks or of pages.
        func checksums(size: Int) -> [UInt32] {
            switch self {
            case .bytes(let bytes): ChunkChecksums.values(of: bytes, size: size)
            case .spooled(let section): (size == SectionFile.pageSize ? section.pages : section.blocks).values
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
            let checksums = content.checksums(size: pageSize).map(\.littleEndian)
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
                    name: name, offset: offset, length: content.count,
                    crc32c: content.checksums(size: blockSize)))
            offset = aligned(offset + content.count)
        }
        let text = try JSONEncoder.canonical.encode(header)
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
}
