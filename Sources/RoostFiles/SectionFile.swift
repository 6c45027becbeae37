import Dispatch
public import Foundation
import Synchronization

/// A file of named sections, memory-mapped: derived data that is read where it lies. Written once, in one
/// piece, and replaced by another, never changed.
///
/// The first 24 bytes: `ROOSTSEC`, the format as UInt32 (1), the header's length and its CRC-32C as UInt32,
/// four zero bytes; then the header as JSON, then the sections, each at a multiple of 64 bytes, in the
/// header's order. Whole numbers are little-endian.
///
/// A section may be read here and there, and compared with its checksums only where it is read: then
/// `NAME/pieces` holds the CRC-32C of each 4 KiB of section `NAME` as UInt32.
public final class SectionFile: Sendable {
    /// What the header says of a section.
    private struct Section: Codable {
        var name: String
        var offset: Int
        var length: Int
        /// Of each block of `blockSize` bytes; the last may be shorter.
        var crc32c: [UInt32]
    }

    private struct Header: Codable {
        var metadata: Data
        var sections: [Section]
    }

    /// Why a file cannot be used.
    public struct Unusable: Error, Sendable, Hashable, CustomStringConvertible {
        public let description: String

        public init(description: String) { self.description = description }
    }

    private let file: MappedFile
    private let sections: [String: Section]
    /// Sections that are as they were written.
    private let verified = Mutex(Set<String>())
    /// A page of memory: what is read of a section comes from the disk in no smaller pieces.
    private static let pieceSize = 4 << 10
    /// What the writer says of the whole.
    public let metadata: Data

    private static let magic = Array("ROOSTSEC".utf8)
    private static let preamble = 24
    /// Small enough that all cores have a share of checking a large section.
    private static let blockSize = 4 << 20

    /// Opens a file. Its header and its length are checked; what the sections hold by ``verify(_:)``.
    ///
    /// - Throws: ``Unusable``; ``FileError``.
    public init(_ url: URL) throws {
        file = try MappedFile(url)
        let bytes = file.bytes
        func word(_ offset: Int) -> UInt32 {
            UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
        }
        guard bytes.count >= Self.preamble, bytes.prefix(8).elementsEqual(Self.magic) else {
            throw Unusable(description: "\(url.path) is no index")
        }
        guard word(8) == 1 else { throw Unusable(description: "\(url.path) is of another version") }
        let length = Int(word(12))
        guard bytes.count >= Self.preamble + length else {
            throw Unusable(description: "\(url.path) is cut short")
        }
        let text = UnsafeRawBufferPointer(rebasing: bytes[Self.preamble..<Self.preamble + length])
        guard CRC32C.checksum(text) == word(16),
            let header = try? JSONDecoder().decode(Header.self, from: Data(text))
        else { throw Unusable(description: "\(url.path) is not as it was written") }
        var end = Self.preamble + length
        for section in header.sections {
            guard section.length >= 0, section.offset >= end, section.offset % 64 == 0,
                section.length <= bytes.count - section.offset,
                section.crc32c.count == (section.length + Self.blockSize - 1) / Self.blockSize
            else { throw Unusable(description: "\(url.path) is cut short") }
            end = section.offset + section.length
        }
        guard end == bytes.count else { throw Unusable(description: "\(url.path) is not as it was written") }
        metadata = header.metadata
        sections = Dictionary(header.sections.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The length of the file.
    public var size: Int { file.bytes.count }

    /// That the file is not as it was written.
    public var unusable: Unusable { Unusable(description: "\(file.path) is not as it was written") }

    /// A section's bytes, which live as long as this object, aligned to 64.
    ///
    /// - Throws: ``Unusable`` where there is none of this name.
    public func section(_ name: String) throws -> UnsafeRawBufferPointer {
        guard let section = sections[name] else {
            throw Unusable(description: "\(file.path) has no section '\(name)'")
        }
        return UnsafeRawBufferPointer(rebasing: file.bytes[section.offset..<section.offset + section.length])
    }

    /// A section's elements, which live as long as this object.
    ///
    /// - Throws: ``Unusable`` where there is none of this name, or it is not `count` elements long.
    public func section<Element: BitwiseCopyable>(
        _ name: String, of type: Element.Type, count: Int
    ) throws -> UnsafeBufferPointer<Element> {
        guard let section = sections[name], section.length == count * MemoryLayout<Element>.stride else {
            throw Unusable(description: "\(file.path) has no whole section '\(name)'")
        }
        let bytes = UnsafeRawBufferPointer(
            rebasing: file.bytes[section.offset..<section.offset + section.length])
        return bytes.bindMemory(to: type)
    }

    /// Compares a section with its checksums. Reads all of it, on all cores, at the first call for it.
    ///
    /// - Throws: ``Unusable``.
    public func verify(_ name: String) throws {
        guard !verified.withLock({ $0.contains(name) }) else { return }
        guard let section = sections[name] else {
            throw Unusable(description: "\(file.path) has no section '\(name)'")
        }
        let isWhole = Atomic(true)
        DispatchQueue.concurrentPerform(iterations: section.crc32c.count) { [file] block in
            let start = section.offset + block * Self.blockSize
            let end = min(start + Self.blockSize, section.offset + section.length)
            let bytes = UnsafeRawBufferPointer(rebasing: file.bytes[start..<end])
            if CRC32C.checksum(bytes) != section.crc32c[block] { isWhole.store(false, ordering: .relaxed) }
        }
        guard isWhole.load(ordering: .relaxed) else { throw unusable }
        verified.withLock { _ = $0.insert(name) }
    }

    /// A section that is compared with its checksums where it is read.
    ///
    /// - Returns: `nil` where it was not written so.
    /// - Throws: ``Unusable`` where there is none of this name, or the checksums are not as they were
    ///   written.
    public func pieces(of name: String) throws -> CheckedPieces? {
        let checksums = Self.piecesName(name)
        guard sections[checksums] != nil else { return nil }
        try verify(checksums)
        let bytes = try section(name)
        return CheckedPieces(
            of: bytes, size: Self.pieceSize,
            checksums: try section(
                checksums, of: UInt32.self, count: (bytes.count + Self.pieceSize - 1) / Self.pieceSize))
    }

    private static func piecesName(_ section: String) -> String { section + "/pieces" }

    private static func checksums(_ bytes: UnsafeRawBufferPointer, size: Int = blockSize) -> [UInt32] {
        stride(from: 0, to: bytes.count, by: size).map {
            CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[$0..<min($0 + size, bytes.count)]))
        }
    }

    /// Writes a file in place of another: readers have the old one or the new one, whatever happens.
    ///
    /// - Parameter pieced: sections that are compared with their checksums where they are read
    ///   (``pieces(of:)``).
    /// - Throws: ``FileError``; the old file is untouched then.
    public static func write(
        to url: URL, metadata: Data, sections: [(name: String, bytes: UnsafeRawBufferPointer)],
        pieced: Set<String> = [], files: FileSystem = .standard
    ) throws {
        if let (name, bytes) = sections.first(where: { pieced.contains($0.name) }) {
            let checksums = checksums(bytes, size: pieceSize).map(\.littleEndian)
            return try checksums.withUnsafeBytes {
                try write(
                    to: url, metadata: metadata, sections: [(piecesName(name), $0)] + sections,
                    pieced: pieced.subtracting([name]), files: files)
            }
        }
        // The header's length depends on the offsets, which depend on it: room for the longest numbers.
        let blocks = sections.reduce(0) { $0 + $1.bytes.count / blockSize + 1 }
        let names = sections.reduce(0) { $0 + 6 * $1.name.utf8.count }
        let room = 256 + metadata.count * 2 + names + sections.count * 160 + blocks * 11
        var offset = (preamble + room + 63) / 64 * 64
        var header = Header(metadata: metadata, sections: [])
        for (name, bytes) in sections {
            header.sections.append(
                Section(
                    name: name, offset: offset, length: bytes.count, crc32c: checksums(bytes)))
            offset = (offset + bytes.count + 63) / 64 * 64
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let text = try encoder.encode(header)
        precondition(text.count <= room, "a header of \(text.count) bytes")
        var start = Data(magic)
        let checksum = text.withUnsafeBytes { CRC32C.checksum($0) }
        for word in [1, UInt32(text.count), checksum, 0] {
            withUnsafeBytes(of: word.littleEndian) { start += Data($0) }
        }
        start += text
        try AtomicFile.write(to: url, files: files) { file in
            var position = start.count
            try start.withUnsafeBytes { try file.write($0) }
            for (section, source) in zip(header.sections, sections) {
                let gap = [UInt8](repeating: 0, count: section.offset - position)
                try gap.withUnsafeBytes { try file.write($0) }
                try file.write(source.bytes)
                position = section.offset + section.length
            }
        }
    }
}
