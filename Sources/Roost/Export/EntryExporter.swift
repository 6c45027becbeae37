import Foundation
import RoostModel

/// Writes entries as an ``EntryArchive``.
struct EntryExporter: Sendable {
    let format: EntryArchive.Format
    /// The embedding space of the vectors to write; `nil` omits vectors.
    let space: EmbeddingSpace?

    /// The number of entries that are encoded at once.
    private static let pageSize = 500

    /// Writes the entries that match a filter.
    ///
    /// - Parameter write: Receives the bytes in order, page by page.
    func export(
        _ snapshot: any StorageSnapshot, matching filter: EntryFilter, to write: (Data) throws -> Void
    ) async throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.userInfo[.omitsVectors] = space == nil
        var start = try encoder.encode(
            EntryArchive.Header(schemaVersion: EntryArchive.currentVersion, space: space)
        ).escapingControlsInJSON()
        switch format {
        case .jsonl: start.append(UInt8(ascii: "\n"))
        case .json:
            // Remove the closing brace, because the array of entries is part of the same object as the
            // header.
            start.removeLast()
            start += Data(",\"entries\":[\n".utf8)
        }
        try write(start)
        var isFirst = true
        for try await page in snapshot.entryPages(matching: filter, pageSize: Self.pageSize) {
            var bytes = Data()
            for entry in page.entries {
                if format == .json, !isFirst { bytes += Data(",\n".utf8) }
                isFirst = false
                bytes += try encoder.encode(entry).escapingControlsInJSON()
                if format == .jsonl { bytes.append(UInt8(ascii: "\n")) }
            }
            try write(bytes)
        }
        if format == .json { try write(Data("\n]}\n".utf8)) }
    }
}
