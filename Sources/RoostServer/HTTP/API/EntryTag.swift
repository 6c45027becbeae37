import HTTPTypes
import RoostModel

/// The ETag of an entry: its revision, and the epoch of the store, in which a revision is unique.
enum EntryTag {
    /// The parameter that names the revision which a client has read.
    static let ifMatch = Parameter.header(
        "If-Match",
        Schema.string(
            "The ETag of the revision that the client has read, or `*` for any; the request fails with 412 "
                + "if the entry has changed since or does not exist."))

    static let changed = Problem(
        .preconditionFailed, "changed", "the entry has changed since the revision of If-Match")

    /// Returns the tag of an entry.
    static func text(_ revision: Revision, at stamp: Stamp) -> String {
        "\"\(revision.rawValue).\(stamp.epoch.text.prefix(8))\""
    }

    /// Returns the revision that a change must find, according to the field `If-Match` of a request.
    ///
    /// - Returns: `nil` if any revision may be changed.
    /// - Throws: ``Problem`` with the status 412 if the entry has another revision or does not exist.
    static func revision(
        of id: Entry.ID, for call: Call, in snapshot: any StorageSnapshot
    ) async throws -> Revision? {
        guard let tag = call.string("If-Match") else { return nil }
        guard let revision = try await snapshot.revisions(of: [id])[id] else {
            throw Problem(.preconditionFailed, "changed", "the entry of If-Match does not exist")
        }
        if tag == "*" { return nil }
        guard tag == text(revision, at: snapshot.stamp) else { throw changed }
        return revision
    }
}
