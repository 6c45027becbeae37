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
    package convenience init(_ url: URL) throws {
        // Without O_NONBLOCK, opening a named pipe would wait for a writer.
        try self.init(FileDescriptor(url.path, O_RDONLY | O_NONBLOCK))
    }

    package init(_ file: FileDescriptor) throws {
        path = file.path
        let status = try file.status()
        let size = Int(status.st_size)
        guard status.isRegularFile else {
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
/// UInt32; four zero bytes); the header as JSON; the sections in the header's order. Each section is followed by the
/// CRC-32C of each of its 4 KiB pages as UInt32, so only the accessed pages need to be verified. Sections and checksums
/// begin at multiples of 64 bytes. Integers are little-endian.
package final class SectionFile: Sendable {
    struct Section: Codable {
        var name: String
        var offset: Int
        var length: Int
        /// The checksum of the checksums of the pages.
        var crc32c: UInt32

        var checksumOffset: Int { SectionFile.aligned(offset + length) }
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
    private let sections: [String: CheckedPages]
    package let metadata: Data

    static let magic = Array("ROOSTSEC".utf8)
    static let format: UInt32 = 1
    static let preamble = 24
    /// Sections begin at multiples of this number of bytes, the size of a cache line, which satisfies the
    /// alignment of all SIMD loads.
    static let alignment = 64
    /// The number of bytes that one core verifies at a time, small enough for all cores to share the work.
    static let blockSize = 4 << 20

    static func aligned(_ offset: Int) -> Int { (offset + alignment - 1) / alignment * alignment }

    /// Opens a file, and checks its header, its length and the checksums of its checksums. ``verify(_:)`` and
    /// ``pages(of:)`` check the content of a section.
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
        let truncated = Unusable(description: "\(url.path) is truncated")
        guard bytes.count >= Self.preamble + length else { throw truncated }
        let text = UnsafeRawBufferPointer(rebasing: bytes[Self.preamble..<Self.preamble + length])
        let damaged = Unusable(description: "\(url.path) has a damaged header")
        guard CRC32C.checksum(text) == word(16),
            let header = try? JSONDecoder().decode(Header.self, from: Data(text))
        else { throw damaged }
        var end = Self.preamble + length
        var sections: [String: CheckedPages] = [:]
        for section in header.sections {
            guard section.length >= 0, section.offset >= end, section.offset % Self.alignment == 0,
                section.length <= bytes.count - section.offset
            else { throw truncated }
            let start = section.checksumOffset
            end = start + CheckedPages.count(of: section.length) * MemoryLayout<UInt32>.stride
            guard end <= bytes.count else { throw truncated }
            let checksums = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
            guard CRC32C.checksum(checksums) == section.crc32c else { throw damaged }
            let content = bytes[section.offset..<section.offset + section.length]
            sections[section.name] = CheckedPages(
                of: UnsafeRawBufferPointer(rebasing: content),
                checksums: checksums.bindMemory(to: UInt32.self))
        }
        guard end == bytes.count else {
            throw Unusable(description: "\(url.path) has unexpected bytes at its end")
        }
        metadata = header.metadata
        self.sections = sections
    }

    package var size: Int { file.bytes.count }

    package var checksumMismatch: Unusable {
        Unusable(description: "\(file.path) is damaged: its checksum does not match")
    }

    /// Returns the bytes of a section, aligned to 64 bytes. They remain valid as long as this object exists.
    package func section(_ name: String) throws -> UnsafeRawBufferPointer { try pages(of: name).bytes }

    /// Returns a section whose pages are verified on access.
    package func pages(of name: String) throws -> CheckedPages {
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

    /// Compares a section with its checksums. The first call for a section reads all of it, on all cores.
    package func verify(_ name: String) throws {
        let pages = try pages(of: name)
        let count = pages.bytes.count
        let isIntact = Atomic(true)
        DispatchQueue.concurrentPerform(iterations: (count + Self.blockSize - 1) / Self.blockSize) { block in
            let start = block * Self.blockSize
            if !pages.areIntact(start..<min(start + Self.blockSize, count)) {
                isIntact.store(false, ordering: .relaxed)
            }
        }
        guard isIntact.load(ordering: .relaxed) else { throw checksumMismatch }
    }

    /// Replaces a file atomically: readers find either the complete old file or the complete new one.
    ///
    /// - Throws: ``FileError``. In that case, the old file is unchanged.
    package static func write(
        to url: URL, metadata: Data, sections: [(name: String, bytes: UnsafeRawBufferPointer)]
    ) throws {
        // The length of the header and the offsets in it depend on each other. Therefore enough space is
        // reserved for the longest possible header: `metadata` in Base64, a name in which each byte is
        // escaped (\u0000), and 160 bytes for a section's other fields.
        let names = sections.reduce(0) { $0 + 6 * $1.name.utf8.count }
        let space = 256 + metadata.count * 2 + names + sections.count * 160
        let checksums = sections.map { CheckedPages.checksums(of: $0.bytes) }
        var header = Header(metadata: metadata, sections: [])
        var end = preamble + space
        for (section, checksums) in zip(sections, checksums) {
            let record = Section(
                name: section.name, offset: aligned(end), length: section.bytes.count,
                crc32c: checksums.withUnsafeBytes { CRC32C.checksum($0) })
            header.sections.append(record)
            end = record.checksumOffset + checksums.count * MemoryLayout<UInt32>.stride
        }
        let text = try JSONEncoder.canonical.encode(header)
        precondition(text.count <= space, "a header of \(text.count) bytes exceeds \(space) bytes")
        var start = BinaryWriter()
        start.write(raw: magic)
        for word in [format, UInt32(text.count), text.withUnsafeBytes { CRC32C.checksum($0) }, 0] {
            start.write(word)
        }
        start.write(raw: text)
        try AtomicFile.write(to: url) { file in
            var position = 0
            func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws {
                let gap = [UInt8](repeating: 0, count: offset - position)
                try gap.withUnsafeBytes { try file.write($0) }
                try file.write(bytes)
                position = offset + bytes.count
            }
            try start.bytes.withUnsafeBytes { try write($0, at: 0) }
            for (index, section) in header.sections.enumerated() {
                try write(sections[index].bytes, at: section.offset)
                try checksums[index].withUnsafeBytes { try write($0, at: section.checksumOffset) }
            }
        }
    }
}
