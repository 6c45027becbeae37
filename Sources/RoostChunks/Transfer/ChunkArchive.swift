public import Foundation
import RoostFiles

/// Read-only access to the folder of another ``ComposableFileSystemChunkStorage``.
public struct SharedChunkFolder: ChunkStorageSharing {
    private let storage: ComposableFileSystemChunkStorage

    /// Creates read-only access to a folder.
    ///
    /// - Parameters:
    ///   - baseURL: The folder of the other storage.
    ///   - organization: The organization of the other storage.
    public init(baseURL: URL, organization: any ChunkStorageOrganization = GitStyleOrganization()) {
        storage = ComposableFileSystemChunkStorage(baseURL: baseURL, organization: organization)
    }

    public func readChunk(_ identifier: ChunkIdentifier) async throws -> Data? {
        try await storage.readChunk(identifier)
    }

    public func presence(of identifier: ChunkIdentifier) async throws -> Bool {
        try await storage.chunkExists(identifier)
    }
}

/// Exports and imports chunks as a tar archive in the pax interchange format (POSIX.1-2001), which any `tar`
/// can read.
///
/// Each chunk is a regular file whose name is the chunk's path. Its metadata is stored as the record
/// `ROOST.metadata` of the extended header.
public struct ChunkArchive: ChunkStorageExport, ChunkStorageImport {
    private let organization: any ChunkStorageOrganization
    private let retrieval: any ChunkStorageRetrieval

    private static let metadataKey = "ROOST.metadata"

    /// Creates an exporter and importer for a storage.
    ///
    /// - Parameters:
    ///   - organization: The mapping between identifiers and paths, in the storage and in the archive.
    ///   - retrieval: The component from which chunks are read and to which they are written.
    public init(organization: any ChunkStorageOrganization, retrieval: any ChunkStorageRetrieval) {
        (self.organization, self.retrieval) = (organization, retrieval)
    }

    public func exportChunks(_ identifiers: [ChunkIdentifier], to file: URL) async throws {
        do {
            let archive = try ReplacementFile(of: file)
            for identifier in identifiers {
                try Task.checkCancellation()
                let parts = try await parts(of: identifier)
                try await BlockingWork.run { _ in
                    for part in parts { try archive.write(part) }
                }
            }
            try await BlockingWork.run { isCancelled in
                try archive.write(Data(count: 2 * TarFormat.block))
                if isCancelled() { throw CancellationError() }
                try archive.publish()
            }
        } catch let error as FileError {
            throw ChunkStorageError(
                FileError(operation: "write archive", path: file.path, errno: error.errno))
        }
    }

    /// Returns the parts of an archive that represent a chunk: its header, its data and the padding.
    private func parts(of identifier: ChunkIdentifier) async throws -> [Data] {
        let path = organization.storagePath(for: identifier)
        guard organization.isValidPath(path) else {
            throw ChunkStorageError.invalidIdentifier(identifier.id)
        }
        guard let data = try await retrieval.readChunk(at: path) else {
            throw ChunkStorageError.corrupt(
                path: path, reason: "it does not exist, so it cannot be exported")
        }
        guard data.count <= TarFormat.maximumSize else {
            throw ChunkStorageError.tooLarge(path: path, limit: TarFormat.maximumSize)
        }
        var records: [(String, String)] = []
        if let metadata = try await retrieval.metadata(at: path) {
            let encoded = try JSONEncoder.canonical.encode(metadata)
            records.append((Self.metadataKey, String(decoding: encoded, as: UTF8.self)))
        }
        return [
            TarFormat.header(path: path, size: data.count, records: records), data,
            TarFormat.padding(after: data.count),
        ]
    }

    public func importChunks(from file: URL) async throws -> [ChunkIdentifier] {
        let mapped: MappedFile
        do {
            mapped = try MappedFile(file)
        } catch let error as FileError {
            throw ChunkStorageError(
                FileError(operation: "read archive", path: file.path, errno: error.errno))
        }
        var identifiers: [ChunkIdentifier] = []
        var reader = TarFormat.Reader(count: mapped.bytes.count)
        func corrupt(_ reason: String) -> ChunkStorageError { .corrupt(path: file.path, reason: reason) }
        while let item = try reader.next(in: mapped.bytes, corrupt) {
            try Task.checkCancellation()
            guard let identifier = organization.identifier(from: item.path) else {
                throw corrupt(
                    "'\(item.path.prefix(100))' is not a valid path of the \(organization.name) organization")
            }
            let metadata = try item.records[Self.metadataKey].map { text in
                guard let value = try? JSONDecoder().decode(ChunkMetadata.self, from: Data(text.utf8)) else {
                    throw corrupt("the metadata of a chunk cannot be decoded")
                }
                return value
            }
            try await retrieval.writeChunk(
                Data(mapped.bytes[item.range]), at: item.path, metadata: metadata)
            identifiers.append(identifier)
        }
        return identifiers
    }
}

/// The pax interchange format of tar archives (POSIX.1-2001), restricted to regular files.
enum TarFormat {
    /// The block size of the format in bytes: headers and files are padded to a multiple of it.
    static let block = 512
    /// The length of the name field of a ustar header. Longer paths need an extended header.
    private static let maximumNameLength = 100

    /// The maximum size of a file: the field of a header has 11 octal digits.
    static let maximumSize = (1 << 33) - 1

    static func padding(after size: Int) -> Data { Data(count: (block - size % block) % block) }

    /// Returns the header of a file, preceded by an extended header for values that do not fit into it.
    static func header(path: String, size: Int, records: [(String, String)]) -> Data {
        var records = records
        if path.utf8.count > maximumNameLength { records.append(("path", path)) }
        var data = Data()
        if !records.isEmpty {
            let text = Data(records.map { record($0.0, $0.1) }.joined().utf8)
            data += ustar(name: "pax", size: text.count, type: "x") + text + padding(after: text.count)
        }
        let short = path.utf8.count > maximumNameLength ? "long" : path
        return data + ustar(name: short, size: size, type: "0")
    }

    /// Returns `LENGTH KEY=VALUE\n`, where the length includes its own digits.
    private static func record(_ key: String, _ value: String) -> String {
        let rest = " \(key)=\(value)\n"
        var length = rest.utf8.count
        while String(length).utf8.count + rest.utf8.count != length {
            length = String(length).utf8.count + rest.utf8.count
        }
        return "\(length)\(rest)"
    }

    private static func ustar(name: String, size: Int, type: Character) -> Data {
        var bytes = [UInt8](repeating: 0, count: block)
        func put(_ text: String, at offset: Int) {
            bytes.replaceSubrange(offset..<offset + text.utf8.count, with: text.utf8)
        }
        func octal(_ value: Int, _ digits: Int) -> String {
            let text = String(value, radix: 8)
            return String(repeating: "0", count: digits - text.count) + text
        }
        put(name, at: 0)
        put(octal(0o600, 7), at: 100)
        put(octal(0, 7), at: 108)
        put(octal(0, 7), at: 116)
        put(octal(size, 11), at: 124)
        put(octal(0, 11), at: 136)
        put("        ", at: 148)
        put(String(type), at: 156)
        put("ustar\u{0}00", at: 257)
        put(octal(bytes.reduce(0) { $0 + Int($1) }, 6) + "\u{0} ", at: 148)
        return Data(bytes)
    }

    struct Item {
        var path: String
        var range: Range<Int>
        var records: [String: String]
    }

    /// Reads an archive file by file. Every length is checked against the size of the archive.
    struct Reader {
        private let count: Int
        private var offset = 0
        private static let maximumRecordsSize = 1 << 20

        init(count: Int) { self.count = count }

        /// Returns the next file, or `nil` at the end of the archive.
        mutating func next(
            in bytes: UnsafeRawBufferPointer, _ corrupt: (String) -> ChunkStorageError
        ) throws -> Item? {
            var records: [String: String] = [:]
            while true {
                guard offset + block <= count else { throw corrupt("the archive is truncated") }
                let header = UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + block])
                if header.allSatisfy({ $0 == 0 }) { return nil }
                let sum = header.enumerated().reduce(0) {
                    $0 + (148..<156 ~= $1.offset ? 32 : Int($1.element))
                }
                guard Self.octal(header[148..<156]) == sum else {
                    throw corrupt("the checksum of a header does not match")
                }
                guard let size = Self.octal(header[124..<136]) else {
                    throw corrupt("the size of a file is invalid")
                }
                let type = header[156]
                let start = offset + block
                guard size <= count - start else { throw corrupt("the archive is truncated") }
                let range = start..<start + size
                let (padded, isTooLarge) = range.upperBound.addingReportingOverflow(
                    (block - size % block) % block)
                guard !isTooLarge, padded <= count else { throw corrupt("the archive is truncated") }
                offset = padded
                switch type {
                case UInt8(ascii: "x"):
                    guard size <= Self.maximumRecordsSize, let read = Self.records(bytes[range]) else {
                        throw corrupt("an extended header is invalid")
                    }
                    records = read
                case UInt8(ascii: "0"), 0:
                    let name = header[0..<100].prefix { $0 != 0 }
                    guard let path = records["path"] ?? String(validating: name, as: UTF8.self) else {
                        throw corrupt("the name of a file is not valid UTF-8")
                    }
                    return Item(path: path, range: range, records: records)
                case UInt8(ascii: "5"): records = [:]
                default: throw corrupt("the archive contains an item that is neither a file nor a folder")
                }
            }
        }

        private static func octal(_ field: Slice<UnsafeRawBufferPointer>) -> Int? {
            let text = field.prefix { $0 != 0 }.filter { $0 != UInt8(ascii: " ") }
            guard !text.isEmpty, text.count <= 12 else { return nil }
            var value = 0
            for byte in text {
                guard (UInt8(ascii: "0")...UInt8(ascii: "7")).contains(byte) else { return nil }
                value = value << 3 | Int(byte - UInt8(ascii: "0"))
            }
            return value
        }

        private static func records(_ bytes: Slice<UnsafeRawBufferPointer>) -> [String: String]? {
            var records: [String: String] = [:]
            var rest = bytes
            while !rest.isEmpty {
                guard let space = rest.firstIndex(of: UInt8(ascii: " ")), space - rest.startIndex <= 8,
                    let text = String(validating: rest[..<space], as: UTF8.self), let length = Int(text),
                    length > space - rest.startIndex + 2, length <= rest.count
                else { return nil }
                let record = rest[space + 1..<rest.startIndex + length]
                guard record.last == UInt8(ascii: "\n"),
                    let equals = record.firstIndex(of: UInt8(ascii: "=")),
                    let key = String(validating: record[..<equals], as: UTF8.self),
                    let value = String(validating: record[(equals + 1)...].dropLast(), as: UTF8.self)
                else { return nil }
                records[key] = value
                rest = rest[(rest.startIndex + length)...]
            }
            return records
        }
    }
}
