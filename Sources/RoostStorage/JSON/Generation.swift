import Foundation
import RoostFiles
import RoostModel
import RoostText

/// The record of a generation. A generation consists of the files of one state, which are written together.
/// The record contains the length and the checksum of each file; `CURRENT` contains the record of the current
/// generation.
struct Generation: Codable, Sendable, Hashable {
    struct File: Codable, Sendable, Hashable {
        var size: Int
        /// The checksum of the file. It is `nil` for `entries.json`, because the sidecar contains a checksum
        /// for each entry.
        var sha256: String?
    }

    static let currentFormat = 1
    static let entriesFile = "entries.json"
    static let clustersFile = "clusters.json"
    static let sidecarFile = "sidecar"
    static let recordFile = "generation.json"

    var format = currentFormat
    var number: Int
    var revision: Revision
    var entryCount: Int
    var entries: File
    var clusters: File
    var sidecar: File

    var size: Int { entries.size + clusters.size + sidecar.size }

    // MARK: Record

    /// Returns `{"record":{…},"sha256":"…"}`, where `sha256` is the checksum of the bytes of `record`.
    func encoded() throws -> Data {
        let record = try JSONEncoder.canonical.encode(self)
        return Data("{\"record\":".utf8) + record
            + Data(",\"sha256\":\"\(SHA256.hexadecimal(record))\"}\n".utf8)
    }

    static func decoded(_ data: Data, path: String) throws -> Generation {
        let damaged = StorageError.unreadable("\(path) is damaged")
        var record: Data?
        var checksum: String?
        do {
            try data.withUnsafeBytes { bytes in
                var reader = JSONReader(bytes)
                try reader.object { reader, key in
                    switch key {
                    case "record": record = Data(bytes[try reader.skipValue()])
                    case "sha256": checksum = try reader.string()
                    default: try reader.skipValue()
                    }
                }
                try reader.expectEnd()
            }
        } catch {
            throw damaged
        }
        struct Format: Decodable { var format: Int }
        guard let record, checksum == SHA256.hexadecimal(record),
            let format = try? JSONDecoder().decode(Format.self, from: record), format.format >= 1
        else { throw damaged }
        guard format.format <= currentFormat else {
            throw StorageError.newerFormat(format.format, of: path, supported: currentFormat)
        }
        guard let generation = try? JSONDecoder().decode(Generation.self, from: record),
            generation.isPlausible
        else { throw damaged }
        return generation
    }

    /// The maximum length of a file and the maximum number of a generation that are plausible. Sums of them
    /// cannot overflow.
    static let maximumNumber = 1 << 52

    private var isPlausible: Bool {
        format >= 1 && (0...Int(UInt32.max)).contains(entryCount)
            && [number, entries.size, clusters.size, sidecar.size].allSatisfy {
                (0...Self.maximumNumber).contains($0)
            }
    }

    // MARK: Reading

    /// Opens the files, and checks their lengths, their last bytes and the checksum of the sidecar. The
    /// checksum of an entry is checked when the entry is read.
    func open(in store: StoreFolder) throws -> (state: StoreState, contents: GenerationContents) {
        let folder = store.generation(number)
        let sidecarURL = folder.appendingPathComponent(Self.sidecarFile)
        let file = try FileDescriptor(sidecarURL.path, O_RDONLY)
        // Reads the file instead of mapping it, because a read error in a mapped file would terminate the
        // process.
        let bytes = try file.read(at: 0, count: try file.size())
        let sidecar: Sidecar
        do {
            guard bytes.count == self.sidecar.size, SHA256.hexadecimal(bytes) == self.sidecar.sha256
            else { throw BinaryReader.InvalidData() }
            sidecar = try bytes.withUnsafeBytes { try Sidecar($0) }
        } catch {
            throw Self.damaged(sidecarURL)
        }
        let contents = try GenerationContents(
            folder.appendingPathComponent(Self.entriesFile), size: entries.size,
            extents: sidecar.extents,
            dimension: sidecar.archive.records.first { $0.dimension > 0 }?.dimension ?? 0)
        return (try StoreState(sidecar.archive, entry: contents.entry), contents)
    }

    static func damaged(_ url: URL) -> StorageError {
        StorageError.unreadable("the checksum or the length of \(url.path) does not match")
    }

    // MARK: Writing

    /// - Parameter contents: The archived entries of the state, whose bytes are copied; `nil` if the state was not
    ///   read from an archive.
    /// - Throws: `CancellationError`; errors of the file system. The folder of the generation can remain.
    static func write(
        _ state: StoreState, number: Int, in store: StoreFolder, from contents: GenerationContents?,
        files: FileSystem, isCancelled: () -> Bool = { false }
    ) throws -> Generation {
        let folder = store.generation(number)
        try files.createFolder(folder.deletingLastPathComponent())
        // Removes the incomplete folder that a process leaves if it ends while it writes this generation.
        try files.removeFolder(folder)
        try files.createFolder(folder)
        var extents: [Sidecar.Extent] = []
        var size = 0
        try AtomicFile.write(to: folder.appendingPathComponent(entriesFile), files: files) { file in
            (extents, size) = try writeEntries(state, contents, file, isCancelled)
        }
        let sidecar = try Sidecar(archive: state.archive, extents: extents).encoded()
        try AtomicFile.write(sidecar, to: folder.appendingPathComponent(sidecarFile), files: files)
        let clusters = try JSONEncoder.canonical.encode(state.clustersWithMembers())
        try AtomicFile.write(clusters, to: folder.appendingPathComponent(clustersFile), files: files)
        let generation = Generation(
            number: number, revision: state.stamp.revision, entryCount: extents.count,
            entries: File(size: size),
            clusters: File(size: clusters.count, sha256: SHA256.hexadecimal(clusters)),
            sidecar: File(size: sidecar.count, sha256: SHA256.hexadecimal(sidecar)))
        try AtomicFile.write(
            try generation.encoded(), to: folder.appendingPathComponent(recordFile), files: files)
        // `CURRENT` may refer to the folder only after the folder's name is certain to survive a power
        // failure.
        try files.synchronizeFolder(folder.deletingLastPathComponent())
        return generation
    }

    private static func writeEntries(
        _ state: StoreState, _ contents: GenerationContents?, _ file: FileDescriptor,
        _ isCancelled: () -> Bool
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
        for entry in state.archivableEntries {
            buffer.append(contentsOf: extents.isEmpty ? "\n".utf8 : ",\n".utf8)
            let start = buffer.count
            if let index = entry.archivedIndex, let contents {
                try contents.withText(at: index) { buffer.append(contentsOf: $0) }
            } else {
                buffer += try JSONTextEncoder().text(of: state.entry(of: entry))
            }
            let checksum = buffer.withUnsafeBytes {
                CRC32C.checksum(UnsafeRawBufferPointer(rebasing: $0[start...]))
            }
            guard let length = UInt32(exactly: buffer.count - start) else {
                throw StorageError(
                    .inputOutput, "cannot write entry \(entry.record.id): it is larger than 4 GB")
            }
            extents.append(
                Sidecar.Extent(offset: UInt64(written + start), length: length, checksum: checksum))
            if buffer.count > bufferSize {
                if isCancelled() { throw CancellationError() }
                try flush()
            }
        }
        buffer.append(contentsOf: extents.isEmpty ? "]\n".utf8 : "\n]\n".utf8)
        try flush()
        return (extents, written)
    }

    /// The size of the write buffer in bytes, large enough to make the cost of system calls negligible.
    private static let bufferSize = 4 << 20
}

/// Reads the entries of a generation individually from its `entries.json`.
///
/// The file is not mapped, because a read error, or another program that truncates the file, would then
/// terminate the process.
final class GenerationContents: Sendable {
    private let file: FileDescriptor
    private let size: Int
    private let extents: [Sidecar.Extent]
    private let dimension: Int

    init(_ url: URL, size: Int, extents: [Sidecar.Extent], dimension: Int) throws {
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

    /// Checks every byte of the file: the checksum of each entry, and the separators between the entries.
    func verify(isCancelled: () -> Bool) throws -> (damaged: [Int], isFrameIntact: Bool) {
        var damaged: [Int] = []
        var isFrameIntact = true
        var end = 0
        func isFrame(_ range: Range<Int>, _ expected: String) throws -> Bool {
            guard range.count == expected.utf8.count else { return false }
            return try file.read(at: range.lowerBound, count: range.count).elementsEqual(expected.utf8)
        }
        for (index, extent) in extents.enumerated() {
            if isCancelled() { throw CancellationError() }
            let separator = index == 0 ? "[\n" : ",\n"
            let start = Int(extent.offset)
            if try start < end || !isFrame(end..<start, separator) { isFrameIntact = false }
            end = start + Int(extent.length)
            do {
                try withText(at: index) { _ in }
            } catch is StorageError {
                damaged.append(index)
            }
        }
        let tail = extents.isEmpty ? "[]\n" : "\n]\n"
        if try end > size || !isFrame(end..<size, tail) { isFrameIntact = false }
        return (damaged, isFrameIntact)
    }
}
