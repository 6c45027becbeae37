import Foundation
import Synchronization

/// The cached entries of one revision by id. Two generations approximate least-recently-used eviction.
///
/// An entry that is used moves to the young generation. When the young generation is full, the entries of the
/// old generation are dropped, the young generation becomes the old one, and a new, empty one begins.
final class EntryCache: Sendable {
    private struct State {
        var epoch: UUID?
        var revision = Revision.zero
        var young: [Entry.ID: Entry] = [:]
        var old: [Entry.ID: Entry] = [:]

        func isAt(_ stamp: Stamp) -> Bool { epoch == stamp.epoch && revision == stamp.revision }
    }

    /// The number of entries at which the young generation is full.
    private let generationSize: Int
    private let state = Mutex(State())

    /// If the number of changes exceeds the cache size by more than this, the cache is dropped, because
    /// following the change feed would cost more. The value is one page of the feed.
    private static let changesBeyondCache = 1000

    init(limit: Int) {
        // No store has this many entries, and the sums of numbers of entries do not overflow.
        generationSize = (min(limit, Int.max / 4) + 1) / 2
    }

    /// Moves the cache to the revision of a snapshot by dropping the entries that have changed since the
    /// cached revision.
    func follow(_ base: some StorageProvider, to stamp: Stamp) async throws {
        // A backend without a history cannot tell what has changed, so no cached entry may be used again.
        if stamp.epoch == StoreState.unnamed { return state.withLock { $0 = State() } }
        let (epoch, revision) = state.withLock { ($0.epoch, $0.revision) }
        if epoch == stamp.epoch, revision >= stamp.revision { return }
        var changed: Set<Entry.ID>?
        if epoch == stamp.epoch {
            let cursor = ChangeCursor(
                epoch: epoch, revision: revision, ordinal: .max, horizon: revision)
            let limit = 2 * generationSize + Self.changesBeyondCache
            changed = try await base.changedEntries(after: cursor, limit: limit)?.ids
        }
        state.withLock { state in
            // If another task has moved the cache to a different revision since the changes were read,
            // `changed` no longer tells which entries to drop.
            if let changed, state.epoch == epoch, state.revision == revision {
                for id in changed {
                    state.young[id] = nil
                    state.old[id] = nil
                }
            } else if state.epoch == stamp.epoch, state.revision >= stamp.revision {
                return
            } else {
                state.young = [:]
                state.old = [:]
            }
            state.epoch = stamp.epoch
            state.revision = stamp.revision
        }
    }

    func entries(_ ids: [Entry.ID], of stamp: Stamp) -> [Entry.ID: Entry] {
        state.withLock { state in
            guard state.isAt(stamp) else { return [:] }
            var found: [Entry.ID: Entry] = [:]
            for id in ids {
                guard let entry = state.young[id] ?? state.old[id] else { continue }
                found[id] = entry
                insert(entry, &state)
            }
            return found
        }
    }

    func insert(_ entries: [Entry], of stamp: Stamp) {
        state.withLock { state in
            guard state.isAt(stamp) else { return }
            for entry in entries { insert(entry, &state) }
        }
    }

    private func insert(_ entry: Entry, _ state: inout State) {
        state.old[entry.id] = nil
        state.young[entry.id] = entry
        guard state.young.count >= generationSize else { return }
        state.old = state.young
        state.young = [:]
    }
}
