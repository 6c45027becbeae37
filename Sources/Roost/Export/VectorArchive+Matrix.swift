public import Foundation
import RoostModel

extension VectorArchive {
    /// Reads the vectors of a NumPy file, and their texts from a second file in the same order.
    ///
    /// The second file is JSON Lines, CSV or TSV with a text (`text`, `content` or `document`) in each row
    /// and optionally an id (`id` or `key`), or a file of another type with one text per line, whose ids
    /// are the numbers of the lines.
    ///
    /// - Parameters:
    ///   - vectors: The contents of the NumPy file.
    ///   - vectorsName: The name of the NumPy file for error messages.
    ///   - texts: The contents of the second file.
    ///   - name: The name of the second file. Its extension determines its form.
    ///   - source: The id of the source of the entries.
    /// - Throws: ``RoostError`` with `.badInput` if a file is invalid, or if the numbers of vectors and texts
    ///   differ.
    public init(
        vectors: Data, vectorsName: String? = nil, texts: Data, name: String, source: String
    ) throws {
        let rows = try NumPyMatrix(vectors, name: vectorsName ?? "the vectors of \(name)").matrix
        var records = try Self.texts(in: texts, name: name)
        guard records.count == rows.rows else {
            throw RoostError(
                .badInput,
                "cannot import \(name): it has \(records.count) texts, but the NumPy file has \(rows.rows) "
                    + "vectors; nothing was imported")
        }
        for index in records.indices { records[index].vector = rows.row(index) }
        self.init(records, source: source)
    }

    private static func texts(in data: Data, name: String) throws -> [VectorRecord] {
        if ["csv", "tsv", "jsonl", "ndjson", "json"].contains((name as NSString).pathExtension.lowercased()) {
            guard let text = VectorText(textsOf: data, name: name) else {
                throw RoostError(
                    .badInput,
                    "cannot import \(name): its rows have no text, content or document; nothing was imported")
            }
            return try text.records().records
        }
        let text = try RecordReader.text(data, name: name)
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        return lines.enumerated().compactMap { index, line in
            line.allSatisfy(\.isWhitespace)
                ? nil : VectorRecord(key: String(index + 1), text: String(line), vector: [])
        }
    }
}
