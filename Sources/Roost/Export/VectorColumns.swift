import Foundation
import RoostModel

/// Texts with vectors in a JSON object of lists, as `collection.get()` of Chroma returns them: `documents`,
/// `embeddings`, `ids` and `metadatas`, with one element per text.
struct VectorColumns {
    private let parts: JSONParts
    private let documents: [Range<Int>]
    private let vectors, ids, metadata: [Range<Int>]?
    private let name: String

    /// Creates a reader; `nil` if an object has no list of texts, or neither vectors nor ids.
    ///
    /// - Parameters:
    ///   - members: The ranges of the values of the object by their names.
    ///   - name: The name of the file for error messages.
    init?(_ members: [String: Range<Int>], of parts: JSONParts, name: String) {
        func list(_ names: String..., beginningWith first: UInt8? = nil) -> [Range<Int>]? {
            for name in names {
                if let range = members[name], let list = parts.elements(in: range, beginningWith: first) {
                    return list
                }
            }
            return nil
        }
        guard let documents = list("documents", "texts"),
            // An array of objects is a list of rows.
            !documents.contains(where: { parts.first(in: $0) == UInt8(ascii: "{") })
        else { return nil }
        (self.parts, self.documents, self.name) = (parts, documents, name)
        vectors = list("embeddings", "vectors")
        ids = list("ids")
        metadata = list("metadatas", "metadata")
        if vectors == nil, ids == nil { return nil }
    }

    /// Returns the texts, and the number of elements without a text.
    ///
    /// - Throws: ``RoostError`` with `.badInput` if a list has another number of elements, or an element is
    ///   invalid; `CancellationError`.
    func rows(_ progress: VectorText.Progress?) throws -> (rows: [VectorText.Row], withoutText: Int) {
        for (list, plural) in [(vectors, "vectors"), (ids, "ids"), (metadata, "metadata")] {
            guard let list, list.count != documents.count else { continue }
            throw RoostError(
                .badInput,
                "cannot import \(name): it has \(documents.count) documents, but \(list.count) \(plural); "
                    + "nothing was imported")
        }
        var rows: [VectorText.Row] = []
        for index in documents.indices {
            try Task.checkCancellation()
            progress?(Double(index) / Double(documents.count))
            let text: String? = try decode(documents[index], index, "document", "a text")
            guard let text, text.contains(where: { !$0.isWhitespace }) else { continue }
            let vector: [Float]? = try vectors.flatMap {
                try decode($0[index], index, "vector", "a list of numbers")
            }
            let key: MetadataValue? = try ids.flatMap { try decode($0[index], index, "id", "a text") }
            let values: [String: MetadataValue]? = try metadata.flatMap {
                try decode($0[index], index, "metadata", "an object")
            }
            rows.append(
                .init(
                    number: index + 1,
                    record: VectorRecord(
                        key: key.flatMap { $0 == .null ? nil : $0.text } ?? "", text: text,
                        vector: vector ?? [], metadata: values?.filter { $0.value.text != "" } ?? [:])))
        }
        return (rows, documents.count - rows.count)
    }

    private func decode<Value: Decodable>(
        _ range: Range<Int>, _ index: Int, _ part: String, _ kind: String
    ) throws -> Value? {
        do {
            return try JSONDecoder().decode(Value?.self, from: parts.data(range))
        } catch {
            let fault = "row \(index + 1): its \(part) is not \(kind)"
            throw RoostError(.badInput, "cannot import \(name): \(fault); nothing was imported")
        }
    }
}
