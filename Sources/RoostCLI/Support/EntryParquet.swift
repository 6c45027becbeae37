import Foundation
import Roost
import RoostModel

/// Writes entries as a Parquet file, with the columns of ``EntryTable``.
struct EntryParquet {
    /// Whether the last column contains the vectors.
    let withEmbeddings: Bool

    private var columns: [ParquetColumn] {
        let columns = ExportedTable.columns.map { name in
            let kind: ParquetColumn.Kind =
                switch name {
                case "tags": .texts
                case "createdAt", "updatedAt": .time
                default: .text
                }
            return ParquetColumn(name, kind)
        }
        return columns + (withEmbeddings ? [ParquetColumn(ExportedTable.vectorColumn, .numbers)] : [])
    }

    private func row(of entry: Entry) throws -> [ParquetColumn.Value] {
        let metadata = try Terminal.lineEncoder.encode(entry.metadata).escapingControlsInJSON()
        let row: [ParquetColumn.Value] = [
            .text(entry.id.text), .text(entry.source), .text(entry.key), .text(entry.title),
            .texts(entry.tags), .time(entry.createdAt.milliseconds * 1000),
            .time(entry.updatedAt.milliseconds * 1000), .text(String(decoding: metadata, as: UTF8.self)),
            .text(entry.content),
        ]
        return row + (withEmbeddings ? [.numbers(entry.embeddings)] : [])
    }

    /// Writes the entries to a file, and returns their number. At most one row group is in memory.
    ///
    /// - Throws: ``CommandError`` if the file cannot be written, and the errors of `entries`. In that case,
    ///   an existing file is unchanged.
    func write(
        _ entries: some AsyncSequence<Entry, any Error>, to path: String?, _ counter: ExportCounter
    ) async throws -> Int {
        let file = try OutputFile(path)
        var writer = try ParquetWriter(columns, write: file.write)
        for try await entry in entries {
            try Task.checkCancellation()
            try writer.add(row(of: entry))
            counter.update(writer.count)
        }
        try writer.finish()
        try file.finish()
        return writer.count
    }
}
