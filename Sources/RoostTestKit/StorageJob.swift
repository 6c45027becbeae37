import Foundation
import RoostFiles
public import RoostModel
import RoostVectors

/// A job that a law runs in another process.
///
/// The fixture starts a program with the ``arguments`` of the job. The program opens the store and runs the
/// job:
///
///     guard let job = StorageJob(arguments: arguments) else { exit(64) }
///     try await job.run(on: try MyStore(…))
public struct StorageJob: Sendable, Hashable {
    /// The kinds of jobs.
    public enum Kind: String, Sendable, CaseIterable {
        /// Saves entries one by one.
        case save
        /// Saves entries one by one, and then kills its process without closing the store.
        case saveAndDie
        /// Replaces the same entries repeatedly, each time in a single batch, so the contents of all these
        /// entries are equal at any time.
        case replaceTogether
        /// Follows the change feed while another process writes. The job saves one receipt after the first
        /// half of the changes, and another after all of them. It throws if a change is missing or out of
        /// order.
        case follow
    }

    /// The kind of the job.
    public let kind: Kind
    /// The number of the first entry.
    public let first: Int
    /// The number of entries.
    public let count: Int

    /// Creates a job.
    public init(_ kind: Kind, first: Int, count: Int) {
        (self.kind, self.first, self.count) = (kind, first, count)
    }

    /// Creates a job from the arguments of a program; `nil` if the arguments do not describe a job.
    public init?(arguments: [String]) {
        guard arguments.count == 3, let kind = Kind(rawValue: arguments[0]), let first = Int(arguments[1]),
            let count = Int(arguments[2])
        else { return nil }
        self.init(kind, first: first, count: count)
    }

    /// The arguments with which a program creates the same job.
    public var arguments: [String] { [kind.rawValue, "\(first)", "\(count)"] }

    /// The minimum number of times that `replaceTogether` replaces the entries.
    static let minimumRounds = 50
    /// The number of rounds after which `replaceTogether` ends even if no reader has saved a receipt.
    static let maximumRounds = 5000

    /// Returns the id of the entry with the given number. The id is the same in every process.
    static func id(_ number: Int) -> Entry.ID {
        let digits = Hexadecimal.text(UInt(number), count: 12)
        return UUID(uuidString: "00000000-0000-4000-8000-\(digits)") ?? UUID()
    }

    static func entry(_ number: Int, _ content: String) -> Entry {
        var vector: [Float] = [0, 0, 0, 0]
        vector[number % 4] = 1
        return Entry(
            id: id(number), content: content, embeddings: vector,
            createdAt: Date(milliseconds: 1_700_000_000_000))
    }

    /// Runs the job and closes the store.
    ///
    /// - Throws: An error thrown by the store; `StorageError` with `.damaged` if `follow` misses a change.
    public func run(on store: some StorageProvider) async throws {
        let numbers = first..<first + count
        switch kind {
        case .save, .saveAndDie:
            for number in numbers { try await store.saveEntry(Self.entry(number, "entry \(number)")) }
            if kind == .saveAndDie { kill(getpid(), SIGKILL) }
        case .replaceTogether:
            // The test that started this job saves a receipt after it has seen several rounds.
            for round in 0..<Self.maximumRounds {
                let isSeen = try await !store.snapshot().entries([Self.id(Self.receipt)]).isEmpty
                if round >= Self.minimumRounds, isSeen { break }
                let batch = numbers.map { Self.entry($0, "round \(round)") }
                _ = try await store.commit(WriteBatch(upserts: batch))
                // Gives the test time to see some of the rounds and, after the first ones, to commit its
                // receipt: the pause exceeds the interval at which a waiting writer tries to take the lock.
                try await Task.sleep(for: .milliseconds(round < Self.minimumRounds ? 3 : 30))
            }
        case .follow:
            var follower = ChangeFollower(store)
            try await Self.follow(Set(numbers.prefix(count / 2).map(Self.id)), &follower)
            try await store.saveEntry(Self.entry(Self.receipt, "half"))
            try await Self.follow(Set(numbers.map(Self.id)), &follower)
            try await store.saveEntry(Self.entry(Self.receipt + 1, "all"))
        }
        try await store.close()
    }

    /// The number of the entry that serves as a receipt from one process to another.
    static let receipt = 1_000_000

    /// The number of seconds without a new change after which missing changes are considered lost. It is
    /// generous, because the machine may be busy with other work.
    private static let timeout: TimeInterval = 600

    /// Reads the change feed until it has listed the expected entries.
    private static func follow(_ expected: Set<Entry.ID>, _ follower: inout ChangeFollower) async throws {
        var deadline = Date().addingTimeInterval(timeout)
        while !expected.isSubset(of: follower.ids) {
            guard Date() < deadline else {
                throw StorageError(
                    .damaged, "\(expected.subtracting(follower.ids).count) changes are missing")
            }
            let (changes, isLast) = try await follower.readPage(limit: 7)
            if !changes.isEmpty { deadline = Date().addingTimeInterval(timeout) }
            if isLast { try await Task.sleep(for: .milliseconds(2)) }
        }
    }
}
