import Crypto
import Foundation
import RoostFiles
import RoostModel

/// What `CURRENT` says: the generation that stands, with the length and checksum of each of its files.
struct Generation: Codable, Sendable, Hashable {
    struct File: Codable, Sendable, Hashable {
        var size: Int
        /// `nil` for the entries, whose checksums the sidecar has one by one.
        var sha256: String?
    }

    static let currentFormat = 2
    static let entriesFile = "entries.json"
    static let clustersFile = "clusters.json"
    static let sidecarFile = "sidecar"
    /// In a generation's folder: the same record as in `CURRENT`.
    static let recordFile = "generation.json"

    var format = currentFormat
    var number: Int
    /// The revision of the state that was written.
    var revision: Revision
    var entryCount: Int
    var entries: File
    var clusters: File
    var sidecar: File

    /// Where the files of a generation lie, below the store's folder.
    static func folder(_ number: Int, in directory: URL) -> URL {
        directory.appendingPathComponent("generations/\(number)")
    }

    /// The journal of what was committed after the generation.
    static func journal(_ number: Int, in directory: URL) -> URL {
        directory.appendingPathComponent("journal-\(number).jsonl")
    }

    /// - Returns: 0 for a file that is no journal.
    static func number(ofJournal path: String) -> Int {
        let name = (path as NSString).lastPathComponent
        guard name.hasPrefix("journal-"), name.hasSuffix(".jsonl") else { return 0 }
        return Int(name.dropFirst(8).dropLast(6)) ?? 0
    }

    /// The bytes of all files.
    var size: Int { entries.size + clusters.size + sidecar.size }

    // MARK: The record

    /// `{"record":{…},"sha256":"…"}`, the checksum being of the bytes of `record`.
    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let record = try encoder.encode(self)
        return Data("{\"record\":".utf8) + record
            + Data(",\"sha256\":\"\(Checksum.hexadecimal(record))\"}\n".utf8)
    }

    /// - Throws: ``StorageError``: `.damaged`, `.newerFormat`.
    static func decoded(_ data: Data, path: String) throws -> Generation {
        let damaged = StorageError(
            .damaged, "\(path) is damaged; `roost doctor` tells what can be recovered")
        var record: Data?
        var checksum: String?
        var oldFormat: Int?
        do {
            try data.withUnsafeBytes { bytes in
                var reader = JSONReader(bytes)
                try reader.object { reader, key in
                    switch key {
                    case "record": record = Data(bytes[try reader.skipValue()])
                    case "sha256": checksum = try reader.string()
                    case "format": oldFormat = try reader.integer()
                    default: try reader.skipValue()
                    }
                }
                try reader.expectEnd()
            }
        } catch {
            throw damaged
        }
        if oldFormat == OldGeneration.format { throw OldFormat() }
        struct Format: Decodable { var format: Int }
        guard let record, checksum == Checksum.hexadecimal(record),
            let format = try? JSONDecoder().decode(Format.self, from: record)
        else { throw damaged }
        guard format.format <= currentFormat else {
            throw StorageError(
                .newerFormat, "\(path) was written by a newer version of Roost; update Roost to open it")
        }
        guard let generation = try? JSONDecoder().decode(Generation.self, from: record) else { throw damaged }
        return generation
    }

    /// The record is of format 1 (`OldGeneration`).
    struct OldFormat: Error {}

    // MARK: Reading

    /// Opens the files and checks their lengths, ends and the sidecar's checksum; an entry's checksum is
    /// checked whenever it is read.
    ///
    /// - Throws: ``StorageError`` with `.damaged`; ``FileError``.
    ///
    /// - Parameter text: the file to read entries from, a copy of the generation's own; that one unless it is
    ///   given.
    func open(
        in directory: URL, text: URL? = nil
    ) throws -> (state: StoreState, contents: GenerationContents) {
        let folder = Self.folder(number, in: directory)
        let sidecarURL = folder.appendingPathComponent(Self.sidecarFile)
        let file = try FileDescriptor(sidecarURL.path, O_RDONLY)
        // Read, not mapped: a bad sector is an error then, and not the end of the process.
        let bytes = try file.read(at: 0, count: try file.size())
        let sidecar: Sidecar
        do {
            guard bytes.count == self.sidecar.size, Checksum.hexadecimal(bytes) == self.sidecar.sha256
            else { throw BinaryReader.Short() }
            sidecar = try bytes.withUnsafeBytes { try Sidecar($0) }
        } catch {
            throw Self.damaged(sidecarURL)
        }
        let contents = try GenerationContents(
            text ?? folder.appendingPathComponent(Self.entriesFile), size: entries.size,
            extents: sidecar.extents,
            dimensions: sidecar.archive.places.first { $0.dimension > 0 }?.dimension ?? 0)
        return (try StoreState(sidecar.archive, contents: contents), contents)
    }

    static func damaged(_ url: URL) -> StorageError {
        StorageError(
            .damaged,
            "\(url.path) is not as it was written; `roost doctor` tells what can be recovered, and "
                + "`roost doctor --repair` does it")
    }

    // MARK: Writing

    /// Writes the files of a state, without making them the current ones.
    ///
    /// - Parameter contents: of the archive that the state came from, whose bytes are copied; `nil` where
    ///   there is none.
    static func write(
        _ state: StoreState, number: Int, in directory: URL, from contents: GenerationContents?,
        files: FileSystem
    ) throws -> Generation {
        let folder = folder(number, in: directory)
        try files.createFolder(folder.deletingLastPathComponent())
        // What a process that died in the middle left.
        try files.removeFolder(folder)
        try files.createFolder(folder)
        var extents: [Sidecar.Extent] = []
        var size = 0
        try AtomicFile.write(to: folder.appendingPathComponent(entriesFile), files: files) { file in
            (extents, size) = try writeEntries(state, contents, file)
        }
        let sidecar = try Sidecar(archive: state.archive, extents: extents).encoded()
        try AtomicFile.write(sidecar, to: folder.appendingPathComponent(sidecarFile), files: files)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let clusters = try encoder.encode(state.clustersWithMembers())
        try AtomicFile.write(clusters, to: folder.appendingPathComponent(clustersFile), files: files)
        let generation = Generation(
            number: number, revision: state.stamp.revision, entryCount: extents.count,
            entries: File(size: size),
            clusters: File(size: clusters.count, sha256: Checksum.hexadecimal(clusters)),
            sidecar: File(size: sidecar.count, sha256: Checksum.hexadecimal(sidecar)))
        try AtomicFile.write(
            try generation.encoded(), to: folder.appendingPathComponent(recordFile), files: files)
        // `CURRENT` may name the folder only when its name survives a loss of power.
        try files.synchronizeFolder(folder.deletingLastPathComponent())
        return generation
    }

    private static func writeEntries(
        _ state: StoreState, _ contents: GenerationContents?, _ file: FileDescriptor
    ) throws -> (extents: [Sidecar.Extent], size: Int) {
        var extents: [Sidecar.Extent] = []
        var buffer = Array("[".utf8)
        buffer.reserveCapacity(bufferSize * 2)
        var written = 0
        func flush() throws {
            try buffer.withUnsafeBytes { try file.write($0) }
            written += buffer.count
            buffer.removeAll(keepingCapacity: true)
        }
        for kept in state.kept {
            buffer.append(contentsOf: extents.isEmpty ? "\n".utf8 : ",\n".utf8)
            let start = buffer.count
            if let index = kept.archivedIndex, let contents {
                try contents.withText(at: index) { buffer.append(contentsOf: $0) }
            } else {
                EntryText.write(try state.entry(of: kept), to: &buffer)
            }
            let checksum = buffer.withUnsafeBytes {
                CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[start...]))
            }
            guard let length = UInt32(exactly: buffer.count - start) else {
                throw StorageError(.inputOutput, "entry \(kept.place.id) is larger than 4 GB")
            }
            extents.append(
                Sidecar.Extent(offset: UInt64(written + start), length: length, checksum: checksum))
            if buffer.count > bufferSize { try flush() }
        }
        buffer.append(contentsOf: extents.isEmpty ? "]\n".utf8 : "\n]\n".utf8)
        try flush()
        return (extents, written)
    }

    private static let bufferSize = 4 << 20
}

/// The entries of a generation, read from its `entries.json` one by one. Not mapped: what cannot be read, or
/// is cut by another program, is an error then, and not the end of the process.
final class GenerationContents: EntryContents {
    private let file: FileDescriptor
    private let size: Int
    private let extents: [Sidecar.Extent]
    private let dimension: Int

    /// - Throws: ``StorageError`` with `.damaged` where the file has another length or end.
    init(_ url: URL, size: Int, extents: [Sidecar.Extent], dimensions dimension: Int) throws {
        file = try FileDescriptor(url.path, O_RDONLY)
        self.size = size
        self.extents = extents
        self.dimension = dimension
        let ends = extents.allSatisfy {
            $0.offset <= UInt64(size) && UInt64($0.length) <= UInt64(size) - $0.offset
        }
        guard try file.size() == size, ends, try file.read(at: 0, count: 1).elementsEqual("[".utf8),
            try file.read(at: max(0, size - 2), count: 2).elementsEqual("]\n".utf8)
        else { throw Generation.damaged(url) }
    }

    var count: Int { extents.count }

    /// An entry's JSON text.
    ///
    /// - Throws: ``StorageError`` with `.damaged` where its checksum differs.
    func withText<Value>(at index: Int, _ body: (UnsafeRawBufferPointer) throws -> Value) throws -> Value {
        let extent = extents[index]
        let count = Int(extent.length)
        return try withUnsafeTemporaryAllocation(byteCount: count, alignment: 1) { buffer in
            let text = UnsafeRawBufferPointer(buffer)
            guard try file.read(at: Int(extent.offset), into: buffer) == count,
                CRC32C.checksum(text) == extent.checksum
            else { throw Generation.damaged(URL(fileURLWithPath: file.path)) }
            return try body(text)
        }
    }

    func entry(at index: Int, withVectors: Bool) throws -> Entry {
        do {
            return try withText(at: index) { text in
                var reader = JSONReader(text)
                return try EntryText.read(&reader, withVectors: withVectors, dimension: dimension)
            }
        } catch is JSONError {
            throw Generation.damaged(URL(fileURLWithPath: file.path))
        }
    }

    /// Checks every byte: each entry's checksum, and that nothing but separators lies between them.
    ///
    /// - Returns: the numbers of the entries that are damaged, and whether the rest of the file is whole.
    /// - Throws: ``FileError`` where the file cannot be read.
    func verify() throws -> (damaged: [Int], isFrameWhole: Bool) {
        var damaged: [Int] = []
        var isFrameWhole = true
        var end = 0
        func isFrame(_ range: Range<Int>, _ expected: String) throws -> Bool {
            guard range.count == expected.utf8.count else { return false }
            return try file.read(at: range.lowerBound, count: range.count).elementsEqual(expected.utf8)
        }
        for (index, extent) in extents.enumerated() {
            let separator = index == 0 ? "[\n" : ",\n"
            let start = Int(extent.offset)
            if try start < end || !isFrame(end..<start, separator) { isFrameWhole = false }
            end = start + Int(extent.length)
            do {
                try withText(at: index) { _ in }
            } catch is StorageError {
                damaged.append(index)
            }
        }
        let tail = extents.isEmpty ? "[]\n" : "\n]\n"
        if try end > size || !isFrame(end..<size, tail) { isFrameWhole = false }
        return (damaged, isFrameWhole)
    }
}

enum Checksum {
    static func hexadecimal(_ data: some DataProtocol) -> String {
        hexadecimal(SHA256.hash(data: data))
    }

    static func hexadecimal(_ bytes: UnsafeRawBufferPointer) -> String {
        var hash = SHA256()
        hash.update(bufferPointer: bytes)
        return hexadecimal(hash.finalize())
    }

    private static func hexadecimal(_ digest: SHA256.Digest) -> String {
        digest.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
