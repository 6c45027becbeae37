import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Roost
import RoostModel
import RoostText

enum TransferRoutes {
    private static let tag = "Entries"
    private static let batchSize = 256
    private static let source = "add"

    static let all = [ingest, export]

    private static let lineSchema = Schema.object(
        [
            "content": Schema.string("The text.", minimum: 1), "metadata": Schema.metadata,
            "key": Schema.string("The client's own id of the text.", minimum: 1, maximum: 1_000),
            "tags": Schema.array(
                of: Schema.string("A tag.", minimum: 1, maximum: 1_000), "Tags.", maximum: 64),
        ], required: ["content"])

    private static let ingest = Route(
        method: .post, path: "/api/v1/ingest", operation: "ingestEntries", tag: tag,
        summary: "Store many texts from a stream of lines.",
        details:
            "Each line of the body is a JSON object with `content` and optionally `key`, `tags` and "
            + "`metadata`. A text with a key replaces that of the entry with this key. Other texts that were "
            + "added before, or occur before in the stream, are not stored again; their entries get the tags "
            + "and metadata. After every step of \(batchSize) lines, the server answers with a line that has "
            + "the numbers of received, new, updated and unchanged entries, which are stored then. The last "
            + "line has `done: true`, or `error` and the number of the faulty line. After an error, the lines "
            + "of earlier steps stay stored; the same lines can be sent again.",
        writes: true, isStream: true, body: .lines, streamsBody: true,
        answers: [Route.Answer(200, "The progress.", .lines)]
    ) { call in
        let type = (call.header("Content-Type") ?? "application/x-ndjson").lowercased()
        guard
            ["application/x-ndjson", "application/jsonl", "application/json-lines"].contains(
                where: type.hasPrefix)
        else {
            throw Problem(
                .unsupportedMediaType, "unsupportedMediaType",
                "the body must have the type application/x-ndjson")
        }
        return .stream(type: "application/x-ndjson") { writer in
            try await ingestLines(of: call, writer)
        }
    }

    /// Stores the lines of a body, and reports the progress and the error.
    private static func ingestLines(of call: Call, _ writer: StreamWriter) async throws {
        var ingest = LineIngest(call: call, schema: lineSchema)
        do {
            try await ingest.run(writer)
        } catch  where !Task.isCancelled {
            let problem = Problem(error)
            try await writer.line([
                "error": problem.json(advice: call.context.settings.advice, requestID: call.id),
                "line": .count(ingest.line), "stored": .count(ingest.stored),
            ])
        }
    }

    private struct LineIngest {
        let call: Call
        let schema: JSONValue
        private(set) var line = 0
        private(set) var stored = 0
        private var drafts: [EntryDraft] = []
        /// The indices of the drafts without a key by text, and of those with one by key. Keys with different
        /// bytes name different entries, although strings such as composed and decomposed letters are equal.
        private var indices: [ContentDigest: Int] = [:]
        private var keyed: [ContentDigest: Int] = [:]
        /// The number of texts of the present step, including repeated ones.
        private var texts = 0
        private var (new, updated, unchanged) = (0, 0, 0)

        init(call: Call, schema: JSONValue) { (self.call, self.schema) = (call, schema) }

        @concurrent
        mutating func run(_ writer: StreamWriter) async throws {
            var lines = LineReader(call.request.body, call.context.settings.limits)
            defer { line = lines.number }
            while let bytes = try await lines.next() {
                line = lines.number
                guard !bytes.allSatisfy(\.isJSONSpace) else { continue }
                add(try draft(Data(bytes)))
                if texts == TransferRoutes.batchSize {
                    try await commit()
                    try await writer.line(progress())
                }
            }
            try await commit()
            try await writer.line(progress(isDone: true))
        }

        /// Adds a draft to the step. A text that the step contains already gets the tags and metadata, and
        /// the last text with a key counts.
        private mutating func add(_ draft: EntryDraft) {
            texts += 1
            if let key = draft.key.map(ContentDigest.init(of:)) {
                guard let index = keyed[key] else {
                    keyed[key] = drafts.count
                    return drafts.append(draft)
                }
                drafts[index].content = draft.content
                drafts[index].tags += draft.tags
                return drafts[index].metadata.merge(draft.metadata) { $1 }
            }
            let digest = ContentDigest(of: draft.content)
            if let index = indices[digest] {
                drafts[index].tags += draft.tags
                drafts[index].metadata.merge(draft.metadata) { $1 }
            } else {
                indices[digest] = drafts.count
                drafts.append(draft)
            }
        }

        private func draft(_ data: Data) throws -> EntryDraft {
            let value: JSONValue
            do {
                value = try JSONValue(json: data)
            } catch {
                throw Problem.invalid("line \(line) is not valid JSON: \(error)")
            }
            if let fault = SchemaCheck().fault(in: value, schema, at: "line \(line)") {
                throw Problem.invalid(fault)
            }
            let content = value["content"]?.string ?? ""
            guard !content.allSatisfy(\.isWhitespace) else {
                throw Problem.invalid("line \(line).content is empty")
            }
            let key = value["key"]?.string
            if let fault = key.flatMap(TextAddition.fault(ofKey:)) {
                throw Problem.invalid("line \(line).key \(fault)")
            }
            do throws(OperationError) {
                let tags = value["tags"].map { _ in value.strings("tags") }
                return EntryDraft(
                    key: key, content: content,
                    metadata: try TextValues.metadata(value["metadata"]?.members),
                    tags: try TextValues.newTags(tags, "tags"))
            } catch {
                throw Problem.invalid("line \(line): \(error.message)")
            }
        }

        private mutating func commit() async throws {
            let batch = drafts
            guard !batch.isEmpty else { return }
            let report = try await call.context.operations.handle.use { store in
                try await store.ingest([
                    SourceDraft(id: TransferRoutes.source, fingerprint: "", entries: batch, isComplete: false)
                ])
            }
            if let skip = report.skipped.first { throw Problem.invalid("a text was refused: \(skip.reason)") }
            new += report.new
            updated += report.updated
            unchanged += texts - report.new - report.updated
            stored = line
            (drafts, indices, keyed, texts) = ([], [:], [:], 0)
        }

        private func progress(isDone: Bool = false) -> JSONValue {
            var members: [String: JSONValue] = [
                "lines": .count(line), "new": .count(new), "unchanged": .count(unchanged),
                "updated": .count(updated),
            ]
            if isDone { members["done"] = true }
            return .object(members)
        }
    }

    private static let export = Route(
        method: .get, path: "/api/v1/export", operation: "exportEntries", tag: tag,
        summary: "Return all entries of one revision as lines.",
        details: "The format is that of `roost export entries --format jsonl`.", isStream: true,
        parameters: EntrySelection.parameters.map { Parameter.query($0.name, $0.schema) } + [
            .query(
                "vectors",
                Schema.flag("Whether to include embeddings, after a line that states their space."))
        ],
        answers: [Route.Answer(200, "One line per entry.", .lines)]
    ) { call in
        try await call.context.operations.handle.use { store in
            let snapshot = try await store.storage.snapshot()
            let context = OperationContext(
                operations: call.context.operations, operation: call.operation, arguments: call.values,
                store: store, snapshot: snapshot, report: { _, _ in },
                input: JSONValue.object(call.values).serialized())
            let filter = try await context.decode(EntrySelection.self).filter(in: context)
            let withVectors = call.flag("vectors")
            return .stream(type: "application/x-ndjson") { writer in
                let header = try EntryArchive.header(of: store.embedder.space, withEmbeddings: withVectors)
                try await writer.write(header)
                try await snapshot.entryPages(matching: filter).forEachAhead { page in
                    try await writer.write(
                        try await EntryArchive.lines(of: page.entries, withEmbeddings: withVectors))
                }
            }
        }
    }
}

struct LineReader {
    private var iterator: RequestBody.AsyncIterator
    private var waiting: [UInt8] = []
    private var start = 0
    private var isFinished = false
    /// The number of lines that were read, including one that was too long.
    private(set) var number = 0
    private let limits: ServerSettings.Limits
    init(_ body: RequestBody, _ limits: ServerSettings.Limits) {
        (iterator, self.limits) = (body.makeAsyncIterator(), limits)
    }

    /// Returns the next line without its line feed; `nil` after the last one.
    ///
    /// - Throws: ``Problem`` if the line is too long. A client that sends nothing is disconnected by the
    ///   server's limit on idle connections.
    @concurrent
    mutating func next() async throws -> ArraySlice<UInt8>? {
        var searched = start
        while true {
            if let end = waiting[searched...].firstIndex(of: 0x0A) {
                defer { start = end + 1 }
                number += 1
                return waiting[start..<end]
            }
            guard waiting.count - start <= limits.lineBytes else {
                number += 1
                throw Problem(
                    .contentTooLarge, "lineTooLong",
                    "line \(number) is longer than \(limits.lineBytes) bytes")
            }
            guard !isFinished else {
                guard start < waiting.count else { return nil }
                defer { start = waiting.count }
                number += 1
                return waiting[start...]
            }
            waiting.removeSubrange(..<start)
            start = 0
            searched = waiting.count
            if let buffer = try await iterator.next() {
                waiting += buffer.readableBytesView
            } else {
                isFinished = true
            }
        }
    }
}
