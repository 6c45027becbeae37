import Foundation
package import Roost
import RoostConversations
package import RoostModel
import RoostText

/// The JSON form of an entry. Operations add the members that they are asked for.
package struct EntryDocument: Codable, Sendable {
    package var id: String
    /// The title of the entry, or the first words of its text.
    package var title: String
    /// The address of the web page from which the entry was ingested, or else of the resource.
    package var url: String
    /// The id of the source, and the path of the file from which the entry was ingested.
    package var source: String?
    package var path: String?
    /// The session and the author of a message of a conversation.
    package var session: String?
    package var speaker: String?

    // A result of a search.
    /// The relevance, from 0 to 1.
    package var score: Float?
    package var similarity: Float?
    package var snippet: String?
    /// The position of the snippet in the text, and those of the matched words in the snippet, in bytes of UTF-8.
    package var range: [Int]?
    package var marks: [[Int]]?
    /// The page of the document, and the headings above the snippet, the outermost first.
    package var page: Int?
    package var headings: [String]?

    // The text, or a part of it.
    package var text: String?
    /// The line of the file on which the text or the best part of the snippet begins.
    package var line: Int?
    /// The version of a text that is returned in parts, and the offset of the next part.
    package var version: String?
    package var nextOffset: Int?

    package var tags: [String]?
    package var metadata: [String: JSONValue]?
    /// The number of tags, and the keys of metadata, that do not fit into the answer.
    package var omittedTags: Int?
    package var omittedMetadata: [String]?
    package var createdAt: String?
    package var updatedAt: String?
    package var cluster: String?
    /// The revision of the latest change, which is also the ETag over HTTP.
    package var revision: String?

    package init(_ entry: Entry) {
        (source, path) = (entry.source, entry.sourcePath)
        id = entry.id.text
        title = TextTitle.shortened(entry.title ?? entry.content)
        url =
            entry.source.flatMap { WebSource.isAddress($0) ? $0 : nil } ?? ResourceAddress.entry(entry.id).uri
        guard let message = RememberedMessage(entry) else { return }
        (session, speaker) = (message.scope.sessionId, message.speaker ?? message.role.rawValue)
        createdAt = DateText.string(from: message.timestamp)
    }

    // MARK: Details

    private static let maximumOmittedKeys = 20
    private static let maximumKeyLength = 200

    mutating func addDetails(of entry: Entry, tokens: Int?) {
        createdAt = DateText.string(from: entry.createdAt)
        updatedAt = DateText.string(from: entry.updatedAt)
        addTags(of: entry, tokens: tokens)
        var budget = TokenBudget(tokens: tokens.map { $0 / 2 })
        let sizes = entry.metadata.mapValues { $0.serialized().count }
        let keys = entry.metadata.keys.sorted { (sizes[$0] ?? 0, $0) < (sizes[$1] ?? 0, $1) }
        let fitting = Set(keys.prefix { key in entry.metadata[key].map { budget.take([key: $0]) } ?? false })
        metadata = entry.metadata.filter { fitting.contains($0.key) }
        let omitted = keys.dropFirst(fitting.count).prefix(Self.maximumOmittedKeys)
            .map { JSONValue.string(String($0.prefix(bytes: Self.maximumKeyLength))) }
        guard !omitted.isEmpty else { return }
        var rest = TokenBudget(tokens: tokens.map { $0 / 8 })
        omittedMetadata = rest.takeFirst(of: omitted).compactMap(\.string)
    }

    /// Adds the tags, or the number of those that would need more than an eighth of the size of the answer.
    mutating func addTags(of entry: Entry, tokens: Int?) {
        var budget = TokenBudget(tokens: tokens.map { $0 / 8 })
        let fitting = entry.tags.prefix { budget.take(.string($0)) }
        tags = Array(fitting)
        if fitting.count < entry.tags.count { omittedTags = entry.tags.count - fitting.count }
    }

    /// The approximate maximum length of a snippet in UTF-8 bytes, if the client states none.
    private static let standardSnippet = 400

    static func snippetLength(_ tokens: Int?) -> Int {
        min(standardSnippet, TokenBudget(tokens: tokens).remainingBytes / 4)
    }

    /// Adds the part of a hit's text that matches best.
    mutating func addSnippet(
        of hit: QueryHit, in result: QueryResult, length: Int, withPositions: Bool = false
    ) {
        let part = result.snippet(of: hit, limit: length)
        snippet = part.text
        line = hit.entry.sourceLine(ofByte: part.anchor)
        guard withPositions else { return }
        range = [part.utf8Range.lowerBound, part.utf8Range.upperBound]
        marks = part.marks.map { [$0.lowerBound, $0.upperBound] }
        let location = hit.entry.location(ofByte: part.anchor)
        (page, headings) = (location.page, location.headings)
    }

    /// Creates the form of a hit.
    package init(
        _ hit: QueryHit, in result: QueryResult, snippetLength length: Int? = nil, withText: Bool = true,
        withPositions: Bool = true, tokens: Int? = nil
    ) {
        self.init(hit.entry)
        score = hit.score.rounded4
        similarity = hit.similarity.rounded4
        addSnippet(
            of: hit, in: result, length: length ?? Self.snippetLength(tokens), withPositions: withPositions)
        updatedAt = DateText.string(from: hit.entry.updatedAt)
        if withText {
            addDetails(of: hit.entry, tokens: tokens)
            text = hit.entry.content
        } else if !hit.entry.tags.isEmpty {
            addTags(of: hit.entry, tokens: tokens)
        }
    }

    /// Returns the beginning of a text without its front matter and markup.
    static func beginning(of entry: Entry, _ length: Int) -> String {
        let structure = entry.structure ?? TextStructure()
        let body = structure.bodyStart..<max(structure.bodyStart, entry.content.utf8.count)
        return Snippet(of: structure.readable(entry.content), preferring: body, for: nil, limit: length).text
    }

    // MARK: States

    /// Returns the forms of members of a cluster.
    static func documents(
        of members: [(Entry.ID, Float)], in snapshot: any StorageSnapshot, snippetLength: Int
    ) async throws -> [EntryDocument] {
        let similarities = Dictionary(members) { first, _ in first }
        return try await snapshot.entries(members.map(\.0)).map { entry in
            var document = EntryDocument(entry)
            document.snippet = beginning(of: entry, snippetLength)
            document.similarity = similarities[entry.id]?.rounded4
            return document
        }
    }

    package static func documents(
        of entries: [Entry], in snapshot: any StorageSnapshot, showingClusters: Bool = true,
        withTexts: Bool = true, tokens: Int? = nil
    ) async throws -> [EntryDocument] {
        let ids = entries.map(\.id)
        let revisions = try await snapshot.revisions(of: ids)
        let assignments = showingClusters ? try await snapshot.assignments(of: ids) : []
        let clusters = Dictionary(assignments.map { ($0.entry, $0.cluster) }) { first, _ in first }
        return entries.map { entry in
            var document = EntryDocument(entry)
            document.addDetails(of: entry, tokens: tokens)
            document.cluster = clusters[entry.id].flatMap(\.self)?.text
            if withTexts { document.text = entry.content }
            document.revision = revisions[entry.id].map { revisionText($0, at: snapshot.stamp) }
            return document
        }
    }

    /// Returns a text that changes with each change of an entry. A revision is unique in an epoch of the store.
    static func revisionText(_ revision: Revision, at stamp: Stamp) -> String {
        "\(revision.rawValue).\(stamp.epoch.text.prefix(8))"
    }
}

extension Float {
    /// The number with four decimal places; more have no meaning for readers. `nil` if it is not finite.
    var rounded4: Float? { isFinite ? Float("\((Double(self) * 1e4).rounded() / 1e4)") : nil }
}

extension StringProtocol where UTF8View: BidirectionalCollection {
    /// Returns the beginning of a text, cut between Unicode scalars.
    func prefix(bytes: Int) -> SubSequence {
        guard utf8.count > bytes else { return self[...] }
        var end = utf8.index(startIndex, offsetBy: Swift.max(0, bytes))
        while end > startIndex, !utf8[end].startsCharacter { end = utf8.index(before: end) }
        return self[..<end]
    }
}

extension UInt8 {
    /// Whether the byte of a UTF-8 text begins a Unicode scalar.
    var startsCharacter: Bool { self & 0b1100_0000 != 0b1000_0000 }
}
