import Foundation
import Roost
package import RoostConversations
import RoostModel

/// The part of a store that a front end may read and change.
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

    func permits(_ access: OperationAccess) -> Bool {
        guard access.effect == .reads || !isReadOnly else { return false }
        return switch access.part {
        case .texts: true
        case .entries: showsEntries
        // A new entry would not have the source prefix that visible entries have.
        case .newEntries: showsEntries && sourcePrefix == nil
        case .messages: showsMessages
        // Clusters are computed from all entries, so they could reveal entries that are not visible.
        case .everything: showsEverything
        }
    }

    /// Whether entries that are not messages are visible. A server for one conversation shows none, unless
    /// tags or a source prefix select some.
    var showsEntries: Bool { scope == nil || !tags.isEmpty || sourcePrefix != nil }

    /// Whether messages of conversations are visible. Tags and a source prefix select entries only, so a
    /// server with one of them shows messages only if a conversation is named as well.
    var showsMessages: Bool { scope != nil || (tags.isEmpty && sourcePrefix == nil) }

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

    var showsEverything: Bool { tags.isEmpty && sourcePrefix == nil && scope == nil }

    var texts: EntryFilter {
        var filter = EntryFilter(tags: tags)
        if let sourcePrefix { filter.conditions.append(EntryCondition(.source, .hasPrefix(sourcePrefix))) }
        filter.conditions.append(
            EntryCondition(.metadata(DocumentKey.kind), .differs(DocumentKey.messageKind)))
        return filter
    }

    /// Returns filters that also select only visible entries and messages: those of the tags and the source prefix, and
    /// the messages of the conversation. An entry is visible if one of the filters matches.
    func restricting(_ filter: EntryFilter = .all) -> [EntryFilter] {
        guard !showsEverything else { return [filter] }
        var (entries, messages) = (filter, filter)
        entries.tags.formUnion(tags)
        entries.conditions += texts.conditions
        guard let scope else { return [entries] }
        let conversation = ConversationMemory.Filter(scope).entries
        messages.metadata = conversation.metadata
        messages.sources = filter.sources?.intersection(conversation.sources ?? []) ?? conversation.sources
        return showsEntries ? [entries, messages] : [messages]
    }

    func allows(_ entry: Entry) -> Bool {
        restricting().contains { $0.matches(entry, assigned: nil) }
    }

    /// Checks that an entry stays visible after changes of its tags.
    ///
    /// - Returns: Whether the changes remove tags that decide whether the entry is visible.
    /// - Throws: ``OperationError`` if the entry would no longer be visible.
    func check(_ changes: EntryChanges, of entry: Entry) throws(OperationError) -> Bool {
        guard !tags.isEmpty, !changes.removedTags.isEmpty else { return false }
        let left = changes.tags(changing: entry.tags)
        for tag in tags.sorted() where EntryCondition.Test.equals(tag).tags(among: left).isEmpty {
            throw OperationError(
                "the tag '\(tag)' cannot be removed: this server shows only entries that have it")
        }
        return true
    }
}
