import HTTPTypes
import RoostMCP
import RoostModel

/// The entity tags of a field `If-Match` or `If-None-Match` (RFC 9110, section 13.1).
struct EntityTags {
    /// Whether the field is `*`, which matches every existing object.
    private(set) var isAny = false
    /// The strong tags with their quotation marks.
    private(set) var strong: Set<Substring> = []
    /// The weak tags without `W/`.
    private(set) var weak: Set<Substring> = []

    /// The parameter that names the revision which a client has read.
    static let ifMatch = Parameter.header(
        "If-Match",
        Schema.string(
            "The ETags of revisions that the client has read, or `*` for any; the request fails with 412 if "
                + "the entry has changed since or does not exist."))
    /// The parameter that names the revisions which a client has stored.
    static let ifNoneMatch = Parameter.header(
        "If-None-Match",
        Schema.string(
            "The ETags of revisions that the client has stored, or `*` for any; the answer is 304 if the "
                + "entry still has one of them."))

    /// Reads the tags of a header field.
    ///
    /// - Returns: `nil` if the request does not have the field.
    /// - Throws: ``Problem`` if the field is not a list of tags.
    init?(_ name: String, of call: Call) throws(Problem) {
        guard let text = call.string(name) else { return nil }
        guard let tags = EntityTags(text) else {
            throw .invalid("the field \(name) must be `*` or a list of ETags in quotation marks")
        }
        self = tags
    }

    /// Reads a list of tags.
    ///
    /// - Returns: `nil` if the text has another form.
    init?(_ text: String) {
        var rest = text[...].trimmingSpaces
        guard rest != "*" else {
            isAny = true
            return
        }
        while !rest.isEmpty {
            // A list can have empty elements.
            if rest.first == "," {
                rest = rest.dropFirst().trimmingSpaces
                continue
            }
            let isWeak = rest.hasPrefix("W/")
            let start = rest.dropFirst(isWeak ? 2 : 0)
            guard start.first == "\"", let end = start.dropFirst().firstIndex(of: "\"") else { return nil }
            let tag = start[...end]
            if isWeak { weak.insert(tag) } else { strong.insert(tag) }
            rest = start[start.index(after: end)...].trimmingSpaces
            guard rest.isEmpty || rest.first == "," else { return nil }
        }
        guard !strong.isEmpty || !weak.isEmpty else { return nil }
    }

    /// Returns whether the field `If-Match` permits a change of an entry with a tag. Weak tags never do.
    func permitChange(of tag: EntryTag) -> Bool { isAny || strong.contains(where: tag.hasRevision) }

    /// Returns whether the field `If-None-Match` names a tag.
    func contain(_ tag: String) -> Bool { isAny || strong.contains(tag[...]) || weak.contains(tag[...]) }

    /// Returns the revision that a change must find, according to the field `If-Match` of a request.
    ///
    /// - Returns: `nil` if any revision may be changed.
    /// - Throws: ``Problem`` with the status 412 if the entry has another revision or does not exist.
    static func revision(
        of id: Entry.ID, for call: Call, in snapshot: @autoclosure () async throws -> any StorageSnapshot
    ) async throws -> Revision? {
        guard let tags = try EntityTags("If-Match", of: call) else { return nil }
        let snapshot = try await snapshot()
        guard let revision = try await snapshot.revisions(of: [id])[id] else {
            throw Problem(.preconditionFailed, "changed", "the entry of If-Match does not exist")
        }
        let tag = EntryTag(revision, of: nil, at: snapshot.stamp)
        guard tags.permitChange(of: tag) else { throw changed }
        return tags.isAny ? nil : revision
    }

    /// The problem of an entry that has changed.
    static let changed = Problem(
        .preconditionFailed, "changed", "the entry has changed since the revision of If-Match")
}

extension Substring {
    /// The text without spaces and tabs at its ends.
    fileprivate var trimmingSpaces: Substring {
        func isSpace(_ character: Character) -> Bool { character == " " || character == "\t" }
        var text = drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return text
    }
}
