import Foundation
import Roost
package import RoostModel

/// Finds visible entries and clusters by the names that models use.
package struct EntryLookup {
    let rules: AccessRules
    let snapshot: any StorageSnapshot

    package init(rules: AccessRules = AccessRules(), snapshot: any StorageSnapshot) {
        (self.rules, self.snapshot) = (rules, snapshot)
    }

    /// The maximum length of an id or label in bytes.
    static let maximumNameLength = 1_000

    /// Returns the visible entry with an id, or the only visible entry of a file or web address.
    ///
    /// - Throws: ``ToolFailure`` if the text is neither an id nor an address, or no visible entry has it.
    func entry(_ text: String, includingMessages includesMessages: Bool = false) async throws -> Entry {
        let name =
            text.hasPrefix(ResourceAddress.entryPrefix)
            ? String(text.dropFirst(ResourceAddress.entryPrefix.count)) : text
        guard let id = UUID(uuidString: name) else {
            if let entry = try await entry(at: name) { return entry }
            throw ToolFailure(
                "'\(text.prefix(MCPServer.echoLimit))' is not a complete id; use an id from the results of "
                    + "another tool")
        }
        // An entry that is not visible gets the same answer as one that does not exist.
        guard let entry = try await snapshot.entries([id]).first,
            rules.allows(entry) || rules.allowsMessage(entry)
        else { throw ToolFailure("no entry has the id \(id.text)") }
        guard includesMessages || rules.allows(entry) else {
            throw ToolFailure(
                "\(id.text) is a message, which this tool cannot change; the user can remove it with "
                    + "`roost remove` or `roost chat delete`")
        }
        return entry
    }

    /// Returns the only visible entry of a file or web address; `nil` if a text is neither a path nor an
    /// address.
    ///
    /// - Throws: ``ToolFailure`` if no visible entry comes from it, or several do.
    private func entry(at address: String) async throws -> Entry? {
        guard address.hasPrefix("/") || address.contains("://") else { return nil }
        let filter = rules.restricting(EntryFilter(sources: SourceSelection.ids(of: address)))
        let page = try await snapshot.entries(after: nil, limit: 2, matching: filter)
        let shown = address.prefix(MCPServer.echoLimit)
        guard let entry = page.entries.first else {
            throw ToolFailure("no entry is from '\(shown)'; use an id from the results of another tool")
        }
        guard page.entries.count == 1 else {
            throw ToolFailure(
                "several entries are from '\(shown)'; call 'search' with 'sources' to list their ids")
        }
        return entry
    }

    /// Returns the cluster with an id, or with a label.
    ///
    /// - Throws: ``ToolFailure`` if no cluster matches, or several clusters have the label.
    func cluster(_ text: String, among clusters: [Cluster]) throws(ToolFailure) -> Cluster {
        let name =
            text.hasPrefix(ResourceAddress.clusterPrefix)
            ? String(text.dropFirst(ResourceAddress.clusterPrefix.count)) : text
        let found =
            UUID(uuidString: name).map { id in clusters.filter { $0.id == id } }
            ?? clusters.filter { $0.label.lowercased() == name.lowercased() }
        guard let first = found.first else {
            throw ToolFailure(
                clusters.isEmpty
                    ? "the store has no clusters yet; \(FailureText.adviceToCluster(under: rules))"
                    : "no cluster has the id or label '\(text.prefix(MCPServer.echoLimit))'; list the clusters"
            )
        }
        guard found.count == 1 else {
            throw ToolFailure(
                "several clusters have the label '\(name.prefix(MCPServer.echoLimit))'; give an id")
        }
        return first
    }
}
