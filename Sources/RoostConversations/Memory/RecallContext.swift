import Roost
import RoostModel

/// Reads the messages before and after recalled messages.
///
/// Most messages of a scope are stored in adjacent rows, in the order of their numbers, so the context of a
/// message is first looked for in the rows around it. The messages that are not there are found by their
/// numbers, which takes time in proportion to the number of all messages.
struct RecallContext {
    let snapshot: any StorageSnapshot
    let distance: Int

    func messages(around found: [Recollection]) async throws -> [MessagePosition: RememberedMessage] {
        var known = positions(of: found.map(\.message))
        // A database on a server answers one query sooner than one for each recollection.
        if snapshot.passageSearch == nil {
            known.merge(positions(of: try await adjacentMessages(to: found))) { first, _ in first }
        }
        let missing = Set(found.map(\.message).flatMap(positions(around:))).subtracting(known.keys)
        known.merge(positions(of: try await messages(at: missing))) { first, _ in first }
        return known
    }

    private func positions(of messages: [RememberedMessage]) -> [MessagePosition: RememberedMessage] {
        Dictionary(messages.map { (MessagePosition($0), $0) }) { first, _ in first }
    }

    private func positions(around message: RememberedMessage) -> [MessagePosition] {
        let position = MessagePosition(message)
        return (-distance...distance).map(position.advanced).filter { $0.number >= 0 }
    }

    /// Returns the messages of the same scopes in the rows around some recollections.
    private func adjacentMessages(to found: [Recollection]) async throws -> [RememberedMessage] {
        var ids = Set<Entry.ID>()
        for recollection in found {
            guard let row = recollection.hit.row else { continue }
            let page = try await snapshot.headers(
                after: row > distance ? row - UInt32(distance) - 1 : nil, limit: 2 * distance + 1,
                matching: EntryFilter(sources: [recollection.message.scope.source]))
            ids.formUnion(page.headers.map(\.id))
        }
        ids.subtract(found.map(\.message.id))
        return try await snapshot.entries(Array(ids)).compactMap(RememberedMessage.init)
    }

    /// The maximum number of message numbers by which the storage selects messages.
    private static let maximumNumbers = 200

    /// Returns the messages at some positions, and possibly others. They are read in one pass, because each
    /// pass reads the metadata of all messages.
    private func messages(at positions: Set<MessagePosition>) async throws -> [RememberedMessage] {
        guard !positions.isEmpty else { return [] }
        // The sources of scopes contain hardly anything but messages, so the filter does not test the kind of
        // an entry.
        var filter = EntryFilter(sources: Set(positions.map(\.source)))
        let numbers = Set(positions.map(\.number))
        if numbers.count <= Self.maximumNumbers {
            filter.conditions = [
                EntryCondition(
                    .metadata(RememberedMessage.Key.number), .isOneOf(numbers.sorted().map { "\($0)" }))
            ]
        }
        return try await RememberedMessage.read(filter, from: snapshot)
    }
}

/// The position of a message: the source id of its scope, and its number in the scope.
struct MessagePosition: Hashable {
    var source: String
    var number: Int

    init(_ message: RememberedMessage) { (source, number) = (message.scope.source, message.number) }

    func advanced(by distance: Int) -> MessagePosition {
        var position = self
        position.number += distance
        return position
    }
}
