import Foundation
import Roost
import RoostModel

struct FetchEntry: Operation {
    typealias Output = EntryDocument

    var id: String
    var line: Int?
    var offset: Int?
    var version: String?

    static let name = "fetch"
    static let summary = "Show the text and the metadata of an entry or message."
    static let details = "For the next part of a long text, pass its 'nextOffset' as 'offset'."
    static let access = OperationAccess(.reads, .texts)
    static let route = OperationRoute(.get, "/entries/{id}")
    static let isTool = true
    static let idParameter = Argument(
        "id",
        Schema.string(
            "The id or 'url' of an entry.", minimum: 1, maximum: OperationContext.maximumNameLength),
        .required)
    static let parameters = [
        idParameter,
        Argument(
            "line",
            Schema.integer("The line at which the part begins, in place of 'offset'.", 1...Int.max),
            .programs),
        Argument(
            "offset",
            Schema.integer("The byte at which the part begins.", 0...Int.max)),
        Argument(
            "version",
            Schema.string(
                "The 'version' of the previous part. If the text has changed since, the call fails instead "
                    + "of returning a part of another text.", maximum: 100), .programs),
        TokenBudget.parameter,
    ]

    static func head(of output: EntryDocument) -> OperationHead { OperationHead(revision: output.revision) }

    func run(in context: OperationContext) async throws -> EntryDocument {
        let entry = try await context.entry(id)
        var document = try await EntryDocument.documents(
            of: [entry], in: context.snapshot, showingClusters: context.rules.showsEverything,
            withTexts: false, tokens: context.tokens)[0]
        let offset = try offset(in: entry)
        let version = Self.version(of: entry)
        if let expected = self.version, expected != version {
            throw OperationError(
                "the text has changed since the previous part; omit 'offset' and 'version' to read it from the "
                    + "beginning")
        }
        let utf8 = entry.content.utf8
        guard offset <= utf8.count else {
            throw OperationError(
                "'offset' is \(offset), but the text has only \(Count.text(utf8.count, "byte"))")
        }
        var start = utf8.index(utf8.startIndex, offsetBy: offset)
        while start < utf8.endIndex, !utf8[start].startsCharacter { start = utf8.index(before: start) }
        document.line = entry.sourceLine(ofByte: utf8.distance(from: utf8.startIndex, to: start))
        // JSON escapes can double the length of a text; the rest of the answer also needs space.
        var budget = context.budget
        budget.use(try JSONValue.encoding(document))
        let part = Self.part(of: entry.content[start...], bytes: budget.remainingBytes)
        document.text = String(part)
        if offset > 0 || part.endIndex < entry.content.endIndex { document.version = version }
        if part.endIndex < entry.content.endIndex {
            document.nextOffset = utf8.distance(from: utf8.startIndex, to: part.endIndex)
        }
        return document
    }

    /// Returns the position in UTF-8 bytes at which the requested part begins.
    private func offset(in entry: Entry) throws(OperationError) -> Int {
        guard let line else { return offset ?? 0 }
        guard offset == nil else { throw OperationError("pass either 'line' or 'offset'") }
        // The lines of a row of a table are not those of its file.
        var breaks = entry.location?.lastLine == nil ? line - (entry.location?.line ?? 1) : 0
        guard breaks > 0 else { return 0 }
        var offset = 0
        for byte in entry.content.utf8 {
            offset += 1
            if byte == UInt8(ascii: "\n") { breaks -= 1 }
            if breaks == 0 { return offset }
        }
        throw OperationError("the text has no line \(line)")
    }

    /// The length of a version in hexadecimal digits. Texts that differ by accident have different versions.
    private static let versionLength = 16

    /// Returns the version of an entry's text. It depends on the text alone, so a change of tags or metadata between
    /// two parts does not matter.
    private static func version(of entry: Entry) -> String {
        String(ContentDigest(of: entry.content).hexadecimal.prefix(versionLength))
    }

    /// The minimum length of a part in bytes, so that even a small budget makes progress.
    private static let minimumPart = 200

    /// Returns the longest beginning of a text whose JSON form has at most the given number of bytes.
    private static func part(of text: Substring, bytes: Int) -> Substring {
        var limit = max(minimumPart, bytes)
        var part = text.prefix(bytes: limit)
        while limit > minimumPart {
            let size = JSONValue.string(String(part)).serialized().count
            guard size > bytes else { break }
            limit = max(minimumPart, limit * bytes / size - 1)
            part = text.prefix(bytes: limit)
        }
        return part
    }
}

struct ListEntries: Operation {
    struct Output: Codable, Sendable {
        var entries: [EntryDocument]
        var nextCursor: String?
    }

    var limit: Int?

    static let name = "list"
    static let summary = "List entries with their texts, oldest first."
    static let access = OperationAccess(.reads, .texts)
    static let route = OperationRoute(.get, "/entries")
    static let parameters =
        EntrySelection.parameters + OperationContext.pageParameters(maximum: 1_000, standard: 100)

    func run(in context: OperationContext) async throws -> Output {
        let filter = try await context.decode(EntrySelection.self).filter(in: context)
        let page = try await context.snapshot.entries(
            after: try context.position().map(UInt32.init), limit: limit ?? 100,
            matching: try await context.visible(filter))
        let documents = try await EntryDocument.documents(
            of: page.entries, in: context.snapshot, showingClusters: context.rules.showsEverything)
        return Output(entries: documents, nextCursor: page.next.map { context.cursor(Int($0)) })
    }
}

struct CountEntries: Operation {
    struct Output: Codable, Sendable {
        var total: Int
        var counts: [EntryCount]
        var omitted: Int?
    }

    var by: [String]?
    var limit: Int?

    static let name = "count"
    static let summary = "Count the entries, for example by tag, or by cluster and month."
    static let details =
        "An entry with several tags is counted once for each. Periods are in the order of the calendar, in the "
        + "time zone of the server; other values are in the order of their numbers, largest first."
    static let access = OperationAccess(.reads, .texts)
    static let route = OperationRoute(.get, "/counts")
    static let parameters =
        [
            Argument(
                "by",
                Schema.array(
                    of: Schema.string("A property.", minimum: 1, maximum: 1_000),
                    "Count the entries for each combination of values of these properties: tag, cluster, "
                        + "source, folder, day, week, month or year of the creation, or a metadata key; "
                        + "metadata.KEY is always a key.", maximum: 3)),
            Argument("limit", Schema.integer("The maximum number of counts; 100 by default.", 1...1_000)),
        ] + EntrySelection.parameters

    func run(in context: OperationContext) async throws -> Output {
        let names = by ?? []
        let properties = names.compactMap(EntryProperty.init)
        guard properties.count == names.count else {
            throw OperationError("'by' takes properties and metadata keys")
        }
        guard Set(properties).count == properties.count else {
            throw OperationError("'by' must name different properties")
        }
        guard context.rules.showsEverything || !properties.contains(.cluster) else {
            throw OperationError("'cluster' cannot be used: this server shows only a part of the store")
        }
        let selected = try await context.decode(EntrySelection.self).filter(in: context)
        let filter = try await context.visible(selected)
        let counts =
            properties.isEmpty
            ? [] : try await context.store.count(by: properties, matching: filter, in: context.snapshot)
        let shown = counts.prefix(limit ?? 100)
        return Output(
            total: try await context.snapshot.count(matching: filter), counts: Array(shown),
            omitted: shown.count < counts.count ? counts.count - shown.count : nil)
    }
}
