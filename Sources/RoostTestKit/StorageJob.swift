import Foundation
public import RoostModel
import RoostVectors

/// What a law has another process do with a store. The fixture hands ``arguments`` to a program of its own,
/// which does
///
///     guard let job = StorageJob(arguments: arguments) else { exit(64) }
///     try await job.run(on: try MyStore(…))
public struct StorageJob: Sendable, Hashable {
    /// What to do.
    public enum Kind: String, Sendable, CaseIterable {
        /// Saves entries one by one.
        case save
        /// Saves entries one by one and kills its process without closing the store.
        case saveAndDie
        /// Replaces the same entries in one batch again and again, so that all say the same at any moment.
        case replaceTogether
        /// Follows the changes while others write, and saves a receipt when it has been told of the first
        /// half, and another when of all; none where one is missing or out of order.
        case follow
    }

    public let kind: Kind
    /// The number of the first entry.
    public let first: Int
    /// How many entries.
    public let count: Int

    public init(_ kind: Kind, first: Int, count: Int) {
        self.kind = kind
        self.first = first
        self.count = count
    }

    /// - Returns: `nil` where these are not arguments of a job.
    public init?(arguments: [String]) {
        guard arguments.count == 3, let kind = Kind(rawValue: arguments[0]), let first = Int(arguments[1]),
            let count = Int(arguments[2])
        else { return nil }
        self.init(kind, first: first, count: count)
    }

    /// The job as a program's arguments.
    public var arguments: [String] { [kind.rawValue, "\(first)", "\(count)"] }

    static let rounds = 50
    static let mostRounds = 5000

    /// The id of an entry of a number, the same in every process.
    static func id(_ number: Int) -> Entry.ID {
        let digits = String(number, radix: 16)
        let padded = String(repeating: "0", count: 12 - digits.count) + digits
        return UUID(uuidString: "00000000-0000-4000-8000-\(padded)") ?? UUID()
    }

    static func entry(_ number: Int, _ content: String) -> Entry {
        var vector: [Float] = [0, 0, 0, 0]
        vector[number % 4] = 1
        return Entry(
            id: id(number), content: content, embeddings: vector,
            createdAt: Date(milliseconds: 1_700_000_000_000))
    }

    /// Does the job.
    ///
    /// - Throws: what the store throws; ``StorageError`` with `.damaged` where `follow` misses a change.
    public func run(on store: some StorageProvider) async throws {
        let numbers = first..<first + count
        switch kind {
        case .save, .saveAndDie:
            for number in numbers { try await store.saveEntry(Self.entry(number, "entry \(number)")) }
            if kind == .saveAndDie { kill(getpid(), SIGKILL) }
        case .replaceTogether:
            // Until the law's reader has seen some rounds come and go.
            for round in 0..<Self.mostRounds {
                let isSeen = try await !store.snapshot().entries([Self.id(Self.receipt)]).isEmpty
                if round >= Self.rounds, isSeen { break }
                let batch = numbers.map { Self.entry($0, "round \(round)") }
                _ = try await store.commit(WriteBatch(upserts: batch))
                // So that a reader has the time to look at some.
                try await Task.sleep(for: .milliseconds(3))
            }
        case .follow:
            var follower = Follower(store: store)
            try await follower.follow(Set(numbers.prefix(count / 2).map(Self.id)))
            try await store.saveEntry(Self.entry(Self.receipt, "half"))
            try await follower.follow(Set(numbers.map(Self.id)))
            try await store.saveEntry(Self.entry(Self.receipt + 1, "all"))
        }
        try await store.close()
    }

    /// The number of the entry by which a follower says what it has been told.
    static let receipt = 1_000_000
}

/// Reads the change feed and remembers what it has been told.
private struct Follower<Store: StorageProvider> {
    let store: Store
    var seen = Set<Entry.ID>()
    var cursor = ChangeCursor.start
    var last: (Revision, UInt32) = (.zero, 0)

    init(store: Store) { self.store = store }

    mutating func follow(_ expected: Set<Entry.ID>) async throws {
        let deadline = Date().addingTimeInterval(60)
        while !expected.isSubset(of: seen) {
            guard
                case .changes(let page, let next, let isLast) = try await store.changes(
                    after: cursor, limit: 7), Date() < deadline
            else {
                throw StorageError(
                    .damaged, "\(expected.subtracting(seen).count) changes were never told")
            }
            for change in page {
                guard (change.revision, change.ordinal) > last else {
                    throw StorageError(.damaged, "a change came out of order")
                }
                last = (change.revision, change.ordinal)
                if case .upserted(let id) = change.kind { seen.insert(id) }
            }
            cursor = next
            if isLast { try await Task.sleep(for: .milliseconds(2)) }
        }
    }
}
