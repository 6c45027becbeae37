import Foundation
import Roost
package import RoostConversations
import RoostModel

/// The part of a store that a server may read and change.
package struct AccessRules: Sendable {
    /// The tags that every visible entry has, or has a tag nested in, and that every new entry gets.
    package var tags: Set<String> = []
    /// The source prefix of visible entries, such as `file:///home/user/notes/`; `nil` for all sources.
    package var sourcePrefix: String?
    /// The conversation whose messages are visible; `nil` for all conversations.
    package var scope: ChatScope?
    /// Whether tools that change the store are absent.
    package var isReadOnly = false

    package init() {}

    /// Whether entries that are not messages are visible. A server for one conversation shows none, unless
    /// tags or a source prefix select some.
    var showsEntries: Bool { scope == nil || !tags.isEmpty || sourcePrefix != nil }

    /// Whether messages of conversations are visible. Tags and a source prefix select entries only, so a
    /// server with one of them shows messages only if a conversation is named as well.
    var showsMessages: Bool { scope != nil || (tags.isEmpty && sourcePrefix == nil) }

    /// Whether new entries can be added: the server is not read-only, and visible entries need no source
    /// prefix, which a new entry would not have.
    var allowsNewEntries: Bool { !isReadOnly && showsEntries && sourcePrefix == nil }

    /// The source of texts that a server with limited rules adds; `nil` for the source that all other
    /// programs share.
    ///
    /// It depends on the tags alone, because these decide which added texts are visible. Servers with the
    /// same tags find the texts of each other again.
    var ownSource: Source.ID? {
        guard !showsEverything else { return nil }
        let names = Set(tags.map(TagName.init)).map(\.text.precomposedStringWithCanonicalMapping)
        let key = names.sorted().map { "\($0.utf8.count):\($0)" }.joined()
        return "add:" + EntryID.derived(source: "add", key: key).text
    }

    /// Whether all entries and messages are visible.
    var showsEverything: Bool { tags.isEmpty && sourcePrefix == nil && scope == nil }

    /// Whether clusters are visible. They are computed from all entries, so their labels and keywords could
    /// reveal entries that are not visible.
    var showsClusters: Bool { showsEverything }

    /// Returns a filter that also selects only visible entries.
    ///
    /// Messages of conversations are excluded, because the tool `recall` searches them.
    func restricting(_ filter: EntryFilter = .all) -> EntryFilter {
        var filter = filter
        // A filter with an empty set of ids matches no entry.
        if !showsEntries { filter.ids = [] }
        filter.tags.formUnion(tags)
        if let sourcePrefix { filter.conditions.append(EntryCondition(.source, .hasPrefix(sourcePrefix))) }
        filter.conditions.append(
            EntryCondition(.metadata(DocumentKey.kind), .differs(DocumentKey.messageKind)))
        return filter
    }

    /// Returns whether an entry that is not a message is visible.
    func allows(_ entry: Entry) -> Bool { restricting().matches(entry, assigned: nil) }

    /// Checks that an entry stays visible after changes of its tags.
    ///
    /// - Returns: Whether the changes remove tags that decide whether the entry is visible.
    /// - Throws: ``ToolFailure`` if the entry would no longer be visible.
    func check(_ changes: EntryChanges, of entry: Entry) throws(ToolFailure) -> Bool {
        guard !tags.isEmpty, !changes.removedTags.isEmpty else { return false }
        let left = changes.tags(changing: entry.tags)
        for tag in tags.sorted() where EntryCondition.Test.equals(tag).tags(among: left).isEmpty {
            throw ToolFailure(
                "the tag '\(tag)' cannot be removed: this server shows only entries that have it")
        }
        return true
    }

    /// Returns whether an entry is a visible message.
    func allowsMessage(_ entry: Entry) -> Bool {
        let filter = scope.map { ConversationMemory.Filter($0) } ?? .all
        return showsMessages && filter.entries.matches(entry, assigned: nil)
    }
}
