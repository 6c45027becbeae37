import Foundation
import Roost
package import RoostModel
import RoostText

struct OperationContext: Sendable {
    let operations: Operations
    let operation: String
    let arguments: [String: JSONValue]
    let store: KnowledgeStore
    /// The state of the store when the operation began.
    let snapshot: any StorageSnapshot
    /// Receives the progress, from 0 to 100, with the name of the step.
    let report: @Sendable (Int, String) -> Void
    /// The arguments as JSON.
    let input: Data

    var rules: AccessRules { operations.rules }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: input)
        } catch is DecodingError {
            throw OperationError("the input does not have the form that '\(operation)' needs")
        }
    }

    /// The size of the answer in tokens; `nil` if it is unlimited.
    var tokens: Int? {
        arguments["budget"]?.integer ?? (operations.servesAgents ? TokenBudget.standard : nil)
    }

    /// The size of an answer, without the cursor of the next page.
    var budget: TokenBudget {
        var budget = TokenBudget(tokens: tokens)
        budget.use(.string(String(repeating: " ", count: Self.frameLength)))
        return budget
    }

    private static let frameLength = 220

    // MARK: Pages

    static func pageParameters(maximum: Int, standard: Int) -> [Argument] {
        [
            Argument(
                "limit", Schema.integer("The maximum number; \(standard) by default.", 1...maximum)
            ),
            Argument(
                "cursor",
                Schema.string(
                    "The 'nextCursor' of the previous page.", minimum: 1,
                    maximum: PageCursor.maximumLength)),
        ]
    }

    /// A number that identifies the operation and the input, except the parts that can change from page to page.
    private var digest: UInt64 {
        PageCursor.digest(of: operation, arguments.filter { !["limit", "budget"].contains($0.key) })
    }

    /// Returns the position of the requested page; `nil` for the first one.
    ///
    /// - Parameter stamp: The state from which the page is read; the default is that of the snapshot.
    /// - Throws: ``OperationError`` if the cursor is invalid, belongs to other parameters, or the store has changed
    ///   since the previous page.
    func position(at stamp: Stamp? = nil) throws(OperationError) -> Int? {
        guard let text = arguments["cursor"]?.string else { return nil }
        return try PageCursor(text, of: digest, at: stamp ?? snapshot.stamp).position
    }

    func cursor(_ position: Int, at stamp: Stamp? = nil) -> String {
        PageCursor(position: position, of: digest, at: stamp ?? snapshot.stamp).text
    }

    /// Returns the first of the given items that fit into a budget, and the cursor of the next page.
    func page<Item: Encodable>(
        _ items: [Item], from offset: Int, isLast: Bool, _ budget: TokenBudget
    ) throws -> (items: [Item], next: String?) {
        var budget = budget
        let values = tokens == nil ? [] : try items.map { try JSONValue.encoding($0) }
        let count = tokens == nil ? items.count : budget.takeFirst(of: values).count
        let next = isLast && count == items.count ? nil : cursor(offset + count)
        return (Array(items.prefix(count)), next)
    }

    /// Returns the requested page of a complete list, and the cursor of the next page.
    func page<Item: Encodable>(
        of all: [Item], standard: Int, _ budget: TokenBudget
    ) throws -> (items: [Item], next: String?) {
        let offset = try position() ?? 0
        let items = Array(all.dropFirst(offset).prefix(arguments["limit"]?.integer ?? standard))
        return try page(items, from: offset, isLast: offset + items.count >= all.count, budget)
    }

    // MARK: Entries and clusters

    static let maximumNameLength = 1_000
    /// The number of characters of a client's text that a message repeats.
    static let echoLimit = 80

    /// Returns the visible entry with an id, or the only visible entry of a file or web address.
    func entry(_ text: String) async throws -> Entry {
        let name =
            text.hasPrefix(ResourceAddress.entryPrefix)
            ? String(text.dropFirst(ResourceAddress.entryPrefix.count)) : text
        guard let id = UUID(uuidString: name) else {
            if let entry = try await entry(at: name) { return entry }
            throw OperationError(
                "'\(text.prefix(Self.echoLimit))' is not a complete id; use an id from other results",
                .notFound)
        }
        // An entry that is not visible gets the same answer as one that does not exist.
        guard let entry = try await snapshot.entries([id]).first, rules.allows(entry) else {
            throw OperationError("no entry has the id \(id.text)", .notFound)
        }
        return entry
    }

    /// Returns a filter that also selects only visible entries and messages.
    ///
    /// - Complexity: O(number of visible entries) if the rules show entries and one conversation; otherwise O(1).
    func visible(_ filter: EntryFilter = .all) async throws -> EntryFilter {
        let parts = rules.restricting(filter)
        guard parts.count > 1 else { return parts[0] }
        // All conditions of a filter must hold, so only ids can select the entries of several filters.
        var ids = Set<Entry.ID>()
        for part in parts { ids.formUnion(try await snapshot.ids(matching: part)) }
        return EntryFilter(ids: ids)
    }

    /// Returns the only visible entry of a file or web address; `nil` if a text is neither a path nor an address.
    private func entry(at address: String) async throws -> Entry? {
        guard address.hasPrefix("/") || address.contains("://") else { return nil }
        let filter = try await visible(EntryFilter(sources: SourceSelection.ids(of: address)))
        let page = try await snapshot.entries(after: nil, limit: 2, matching: filter)
        let shown = address.prefix(Self.echoLimit)
        guard let entry = page.entries.first else {
            throw OperationError("no entry is from '\(shown)'; use an id from other results", .notFound)
        }
        guard page.entries.count == 1 else {
            throw OperationError("several entries are from '\(shown)'; use the id of one of them")
        }
        return entry
    }

    func cluster(_ text: String) async throws -> Cluster {
        try await snapshot.clusterRecords().named(text)
    }
}

extension [Cluster] {
    static var isEmptyNotice: String { "the store has no clusters yet; recluster it first" }

    /// Returns the only cluster with a label or id, or else the only one whose label contains a text or whose id begins
    /// with it. The case of a label matters only if several labels differ in nothing else.
    package func named(_ text: String) throws(OperationError) -> Cluster {
        let name =
            text.hasPrefix(ResourceAddress.clusterPrefix)
            ? String(text.dropFirst(ResourceAddress.clusterPrefix.count)) : text
        let folded = name.lowercased()
        let candidates = [
            filter { $0.label == name || $0.id.text == folded }, filter { $0.label.lowercased() == folded },
            filter { $0.id.text.hasPrefix(folded) || $0.label.lowercased().contains(folded) },
        ]
        let shown = name.prefix(OperationContext.echoLimit)
        guard let found = candidates.first(where: { !$0.isEmpty }), !name.isEmpty else {
            throw OperationError(
                isEmpty ? Self.isEmptyNotice : "no cluster has the id or label '\(shown)'", .notFound)
        }
        guard found.count == 1 else {
            throw OperationError("'\(shown)' matches several clusters; give more of the label, or the id")
        }
        return found[0]
    }
}

/// The position of the next page of a result.
///
/// A cursor belongs to one revision of the store and to the function and parameters of the first page, so
/// that the pages of a result fit together.
struct PageCursor: Codable, Sendable {
    /// The position in the result, usually the number of items on the previous pages.
    var position: Int
    private var epoch: UUID
    private var revision: UInt64
    private var request: UInt64

    static let maximumLength = 1_000

    static let isInvalid = OperationError("the cursor is invalid; begin again without a cursor")

    init(position: Int, of request: UInt64, at stamp: Stamp) {
        (self.position, self.request) = (position, request)
        (epoch, revision) = (stamp.epoch, stamp.revision.rawValue)
    }

    /// Reads the text of a cursor.
    ///
    /// The position can exceed the number of results: a limit would tell a client with a changed cursor how
    /// many entries the store has.
    init(_ text: String, of request: UInt64, at stamp: Stamp) throws(OperationError) {
        let standard = text.replacing("-", with: "+").replacing("_", with: "/")
        guard text.utf8.count <= Self.maximumLength, let data = Data(base64Encoded: standard),
            let cursor = try? JSONDecoder().decode(Self.self, from: data),
            (0...Int(UInt32.max)).contains(cursor.position)
        else { throw Self.isInvalid }
        guard cursor.request == request else {
            throw OperationError(
                "the cursor belongs to a request with different parameters; repeat the parameters of the "
                    + "first page, or begin again without a cursor")
        }
        guard cursor.epoch == stamp.epoch, cursor.revision == stamp.revision.rawValue else {
            throw OperationError(
                "the store has changed since the previous page; begin again without a cursor", .expired)
        }
        self = cursor
    }

    /// The opaque text of the cursor, which needs no escapes in the query of an address except for `=`.
    var text: String {
        // With sorted keys, the same page has the same cursor in every answer.
        // A structure of numbers and texts can always be encoded.
        return ((try? JSONTextEncoder().encode(self)) ?? Data()).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_")
    }

    /// Returns a number that identifies a function and its parameters except the cursor.
    static func digest(of function: String, _ parameters: [String: JSONValue]) -> UInt64 {
        var parameters = parameters
        parameters["cursor"] = nil
        return FNV1a.hash(of: JSONValue.object(parameters).serialized(), from: FNV1a.hash(of: function.utf8))
    }
}

/// The number of tokens that an answer may still use.
///
/// Tokens are estimated from the length of the JSON, because the tokenizer of the model that reads the answer
/// is unknown.
struct TokenBudget {
    /// The default, which is below the limits at which hosts truncate results.
    static let standard = 8_000
    static let range = 200...50_000
    static let parameter = Argument(
        "budget",
        Schema.integer(
            "The maximum size of the answer in tokens; \(standard) by default for agents, otherwise unlimited.",
            range), .programs)
    /// The estimated number of UTF-8 bytes per token. English prose has about four; code and other languages
    /// have fewer.
    private static let bytesPerToken = 3

    private(set) var remainingBytes: Int

    /// Creates a budget; without a number of tokens, it is unlimited.
    init(tokens: Int?) { remainingBytes = tokens.map { $0 * Self.bytesPerToken } ?? .max }

    /// Uses the part of the budget that a value needs.
    ///
    /// - Returns: `false`, without a change, if the value does not fit.
    mutating func take(_ value: JSONValue) -> Bool {
        guard remainingBytes < .max else { return true }
        // One byte for the comma between elements.
        let size = value.serialized().count + 1
        guard size <= remainingBytes else { return false }
        remainingBytes -= size
        return true
    }

    /// Uses the part of the budget that the returned values need.
    ///
    /// - Returns: The first of the given values, as many as fit. The first value is always returned, so that
    ///   even a small budget makes progress.
    mutating func takeFirst(of values: [JSONValue]) -> [JSONValue] {
        var count = 0
        while count < values.count, take(values[count]) || count == 0 { count += 1 }
        return Array(values.prefix(count))
    }

    /// Uses the part of the budget that a value needs, or all of it if the value does not fit.
    mutating func use(_ value: JSONValue) { if !take(value) { remainingBytes = 0 } }
}
