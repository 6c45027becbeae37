import Foundation
import Roost
import RoostModel

/// A subscription to the resources of a store, which follows the change feed, so that changes by other
/// processes are reported too.
///
/// A subscribed resource counts as changed if reading it gives another result. Therefore a client learns
/// nothing about entries that it cannot see.
struct StoreSubscription: ResourceSubscription {
    let filter: SubscriptionFilter
    private let resources: StoreResources
    private var batches: ChangeBatches.AsyncIterator
    /// The addresses of the subscribed resources, and a hash of the contents of each.
    private var states: [String: (address: ResourceAddress, contents: Int)] = [:]
    /// A hash of the list of resources; `nil` if the client does not subscribe to its changes.
    private var list: Int?

    /// The time between two reads of the change feed.
    private static let interval = Duration.milliseconds(100)

    /// Begins a subscription. Addresses that cannot be those of visible resources are removed from the
    /// filter.
    init(_ filter: SubscriptionFilter, of resources: StoreResources) async throws {
        self.resources = resources
        var filter = filter
        filter.listChanges = filter.listChanges && resources.listCanChange
        let addresses = filter.uris.map { uri in
            ResourceAddress(uri).flatMap { resources.canShow($0) ? $0 : nil }
        }
        filter.uris = zip(filter.uris, addresses).filter { $0.1 != nil }.map(\.0)
        self.filter = filter
        // The position in the feed is determined first, so that no change is missed while resources are read.
        batches = try await Self.batches(of: resources).makeAsyncIterator()
        for (uri, address) in zip(filter.uris, addresses.compactMap(\.self)) {
            states[uri] = (address, try await contents(of: uri))
        }
        if filter.listChanges { list = try await resources.listHash() }
    }

    private static func batches(of resources: StoreResources) async throws -> ChangeBatches {
        try await resources.handle.use { store in
            let cursor = try await store.storage.snapshot().stamp.cursor
            return store.storage.changeBatches(after: cursor, every: interval)
        }
    }

    private func contents(of uri: String) async throws -> Int {
        try await resources.read(uri).hashValue
    }

    mutating func next() async throws -> [ResourceChange] {
        while true {
            do {
                guard let batch = try await batches.next() else { throw CancellationError() }
                let changes = try await changes(by: batch)
                if !changes.isEmpty { return changes }
            } catch let error as StorageError where error.code == .notFound || error.remedy == .reopenStore {
                // The store was restored, replaced or moved to another model, so every resource can differ.
                batches = try await Self.batches(of: resources).makeAsyncIterator()
                for (uri, state) in states { states[uri] = (state.address, try await contents(of: uri)) }
                if list != nil { list = try await resources.listHash() }
                let all = (filter.listChanges ? [.list] : []) + filter.uris.map(ResourceChange.updated)
                if !all.isEmpty { return all }
            }
        }
    }

    private mutating func changes(by batch: ChangeBatch) async throws -> [ResourceChange] {
        var entries: Set<Entry.ID> = []
        var hasNewClusters = false
        for change in batch.changes {
            switch change.kind {
            case .upserted(let id), .removed(let id): entries.insert(id)
            case .clustersReplaced: hasNewClusters = true
            }
        }
        var changes: [ResourceChange] = []
        if let old = list, hasNewClusters {
            let new = try await resources.listHash()
            list = new
            if new != old { changes.append(.list) }
        }
        for uri in filter.uris {
            guard let state = states[uri] else { continue }
            let canDiffer =
                switch state.address {
                case .entry(let id): entries.contains(id)
                case .cluster, .source: true
                }
            guard canDiffer else { continue }
            let contents = try await contents(of: uri)
            guard contents != state.contents else { continue }
            states[uri] = (state.address, contents)
            changes.append(.updated(uri))
        }
        return changes
    }
}
