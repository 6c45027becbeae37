import Roost
import RoostModel

struct FetchTool: Tool {
    let handle: StoreHandle
    let rules: AccessRules

    let definition = ToolDefinition(
        name: "fetch", title: "Read an entry",
        description:
            "Returns the text and the metadata of an entry or message. A long text is returned in parts: "
            + "pass 'nextOffset' as 'offset', and 'version', for the next part.",
        effect: .reads,
        input: [
            ToolProperty(
                "id", .string(maximumBytes: EntryLookup.maximumNameLength), isRequired: true,
                "The id of an entry or message from the results of another tool, or the 'url' of a file with "
                    + "one entry."),
            ToolProperty(
                "line", .integer(1...Int.max),
                "The line of the file at which the returned part begins, such as the 'line' of a search "
                    + "result, in place of 'offset'."),
            ToolProperty(
                "offset", .integer(0...Int.max),
                "The position in UTF-8 bytes at which the returned part begins; 0 by default."),
            ToolProperty(
                "version", .string(maximumBytes: 100),
                "The 'version' of the previous part. If the text has changed since, the call fails instead "
                    + "of returning a part of another text."),
            TokenBudget.argument,
        ])

    func call(_ arguments: ToolArguments, _ context: CallContext) async throws -> JSONValue {
        try await handle.use { store in
            let snapshot = try await store.storage.snapshot()
            let tokens = arguments.integer("budget", default: TokenBudget.standard)
            let entry = try await EntryLookup(rules: rules, snapshot: snapshot)
                .entry(try arguments.requiredString("id"), includingMessages: true)
            var members = EntryJSON.summary(of: entry)
            members.merge(EntryJSON.details(of: entry, tokens: tokens)) { first, _ in first }
            members["notice"] = EntryJSON.notice
            if rules.showsClusters,
                let cluster = try await snapshot.assignments(of: [entry.id]).first?.cluster
            {
                members["cluster"] = .string(cluster.text)
            }
            let offset = try Self.offset(arguments, in: entry)
            let version = Self.version(of: entry)
            if let expected = arguments.string("version"), expected != version {
                throw ToolFailure(
                    "the text has changed since the previous part; call 'fetch' without 'offset' and "
                        + "'version' to read it from the beginning")
            }
            let utf8 = entry.content.utf8
            guard offset <= utf8.count else {
                throw ToolFailure(
                    "'offset' is \(offset), but the text has only \(Count.text(utf8.count, "byte"))")
            }
            var start = utf8.index(utf8.startIndex, offsetBy: offset)
            while start < utf8.endIndex, !utf8[start].startsCharacter { start = utf8.index(before: start) }
            let byte = utf8.distance(from: utf8.startIndex, to: start)
            if let line = entry.sourceLine(ofByte: byte) { members["line"] = .integer(Int64(line)) }
            // JSON escapes can double the length of a text; the rest of the answer also needs space.
            let budget = TokenBudget(tokens: tokens)
            let used = JSONValue.object(members).serialized().count + Self.otherBytes
            let part = Self.part(of: entry.content[start...], bytes: budget.remainingBytes - used)
            members["text"] = .string(String(part))
            if offset > 0 || part.endIndex < entry.content.endIndex { members["version"] = .string(version) }
            if part.endIndex < entry.content.endIndex {
                members["nextOffset"] = .integer(
                    Int64(utf8.distance(from: utf8.startIndex, to: part.endIndex)))
            }
            return .object(members)
        }
    }

    /// Returns the position in UTF-8 bytes at which the part begins that the arguments request.
    ///
    /// - Throws: ``ToolFailure`` if the text does not have the line.
    private static func offset(_ arguments: ToolArguments, in entry: Entry) throws(ToolFailure) -> Int {
        guard arguments["line"] != nil else { return arguments.integer("offset", default: 0) }
        guard arguments["offset"] == nil else { throw ToolFailure("pass either 'line' or 'offset'") }
        let line = arguments.integer("line", default: 1)
        // The lines of a row of a table are not those of its file.
        var breaks = entry.location?.lastLine == nil ? line - (entry.location?.line ?? 1) : 0
        guard breaks > 0 else { return 0 }
        var offset = 0
        for byte in entry.content.utf8 {
            offset += 1
            if byte == UInt8(ascii: "\n") { breaks -= 1 }
            if breaks == 0 { return offset }
        }
        throw ToolFailure("the text has no line \(line)")
    }

    /// The length of the names and separators of `text`, `nextOffset` and `version`, and of the values of the
    /// latter two.
    private static let otherBytes = 75
    /// The length of a version in hexadecimal digits. Texts that differ by accident have different versions.
    private static let versionLength = 16

    /// Returns the version of an entry's text. It depends on the text alone, so a change of tags or metadata
    /// between two parts does not matter.
    private static func version(of entry: Entry) -> String {
        String(ContentDigest(of: entry.content).hexadecimal.prefix(versionLength))
    }

    /// The minimum length of a part in bytes, so that even a small budget makes progress.
    private static let minimumPart = 200

    /// Returns the longest beginning of a text whose JSON form has at most the given number of bytes.
    private static func part(of text: Substring, bytes: Int) -> Substring {
        var limit = max(minimumPart, bytes)
        var part = EntryJSON.prefix(of: text, bytes: limit)
        while limit > minimumPart {
            let size = JSONValue.string(String(part)).serialized().count
            guard size > bytes else { break }
            limit = max(minimumPart, limit * bytes / size - 1)
            part = EntryJSON.prefix(of: text, bytes: limit)
        }
        return part
    }
}
