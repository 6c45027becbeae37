import Foundation
import RoostModel

/// Writes entries as an ``EntryArchive``.
struct EntryExporter: Sendable {
    let format: EntryArchive.Format
    /// The embedding space of the vectors to write; `nil` omits vectors.
    let space: EmbeddingSpace?
    /// Whether the first of the lines is a header. A JSON object always has the members of the header.
    var writesHeader = false

    /// The number of entries that are encoded at once.
    static let pageSize = 500

    /// Writes the entries that match a filter.
    ///
    /// - Parameter write: Receives the bytes in order, page by page.
    func export(
        _ snapshot: any StorageSnapshot, matching filter: EntryFilter, to write: (Data) throws -> Void
    ) async throws {
        var start = Data()
        switch format {
        case .jsonl: start = try headerLine()
        case .json:
            start = try encodedHeader()
            // Remove the closing brace, because the array of entries is part of the same object as the
            // header.
            start.removeLast()
            start += Data(",\"entries\":[\n".utf8)
        }
        try write(start)
        var isFirst = true
        for try await page in snapshot.entryPages(matching: filter, pageSize: Self.pageSize)
        where !page.entries.isEmpty {
            try write(try await encoded(page.entries, areFirst: isFirst))
            isFirst = false
        }
        if format == .json { try write(Data("\n]}\n".utf8)) }
    }

    /// Returns the bytes of entries. A page with vectors takes many milliseconds, so it is not encoded on the
    /// actor of the caller, which can be the main actor.
    @concurrent
    private func encoded(_ entries: [Entry], areFirst: Bool) async throws -> Data {
        switch format {
        case .jsonl: return try lines(of: entries)
        case .json:
            let encoder = encoder
            var (bytes, isFirst) = (Data(), areFirst)
            for entry in entries {
                if !isFirst { bytes += Data(",\n".utf8) }
                isFirst = false
                bytes += try encoder.encode(entry).escapingControlsInJSON()
            }
            return bytes
        }
    }

    private var encoder: JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.userInfo[.omitsVectors] = space == nil
        return encoder
    }

    private func encodedHeader() throws -> Data {
        try encoder.encode(EntryArchive.Header(schemaVersion: EntryArchive.currentVersion, space: space))
            .escapingControlsInJSON()
    }

    /// Returns the header of an archive in the format of lines; empty if none is written.
    func headerLine() throws -> Data { writesHeader ? try encodedHeader() + Data("\n".utf8) : Data() }

    /// Returns entries in the format of lines.
    func lines(of entries: [Entry]) throws -> Data {
        let encoder = encoder
        return try entries.reduce(into: Data()) { bytes, entry in
            bytes += try encoder.encode(entry).escapingControlsInJSON()
            bytes.append(UInt8(ascii: "\n"))
        }
    }
}
