public import Foundation
public import RoostModel

/// The result of a backup.
public struct BackupReport: Sendable {
    /// The snapshot that was created.
    public var snapshot: BackupSnapshot
    /// The total size in bytes of the packs, the index and the snapshot that were written.
    public var writtenBytes: Int
    /// The number of segments in the snapshot that the repository did not have before.
    public var newSegments: Int
    /// The total number of segments in the snapshot.
    public var segments: Int
    /// The SHA-256 digests of original files that are corrupt. The snapshot does not contain them.
    public var damagedDocuments: [String] = []
    /// The reason why old snapshots could not be removed after the backup; `nil` if they were, or if none had
    /// to be. The snapshot itself is complete, but the repository grows until the cause is corrected.
    public var retentionFailure: String?
}

/// The result of a prune, or of its dry run.
public struct BackupPruneReport: Sendable {
    /// The snapshots that were removed.
    public var forgotten: [BackupSnapshot] = []
    /// The snapshots that remain.
    public var kept: [BackupSnapshot] = []
    /// The total size of all packs before the prune.
    public var bytesBefore = 0
    /// The total size of all packs after the prune.
    public var bytesAfter = 0
}

/// The result of verifying a backup repository.
public struct BackupVerification: Sendable, Encodable {
    /// A corrupt or missing object of the repository, and the data that it affects.
    public struct Finding: Sendable, Encodable {
        /// The path of the object in the repository, or the name of a segment.
        public var object: String
        /// A human-readable sentence that describes the fault.
        public var problem: String
        /// The ids of the snapshots that cannot be restored completely.
        public var snapshots: [String] = []
        /// The number of affected entries.
        public var entryCount = 0
        /// The number of affected original files.
        public var documentCount = 0
    }

    /// The faults that were found, among them snapshots of a newer format, whose data is not checked.
    public var findings: [Finding] = []
    /// The number of snapshots that could be read.
    public var snapshotCount = 0
    /// The number of packs that the indexes list.
    public var packCount = 0
    /// The number of segments that the indexes list.
    public var segmentCount = 0
    /// Whether the contents of all packs were verified. Otherwise, only their existence was checked.
    public var hasReadData = false
    /// The paths of packs that no index lists. They come from a backup that was interrupted or is still
    /// running. A prune removes them.
    public var strayPacks: [String] = []

    /// Whether all snapshots were checked and no fault was found.
    public var isSound: Bool { findings.isEmpty }
}

extension BackupVerification: CustomStringConvertible {
    public var description: String {
        (["\(snapshotCount) snapshots, faults: \(findings.count)"]
            + findings.prefix(8).map { "\($0.object): \($0.problem)" }).joined(separator: "\n")
    }
}

/// Parts of a snapshot that could not be restored because their data is damaged.
public struct BackupLoss: Sendable, Hashable {
    /// The kind of data that is missing.
    public enum Part: String, Sendable, CaseIterable {
        /// Entries.
        case entries
        /// The vectors of entries: searches by meaning do not find these entries until they are embedded
        /// again.
        case vectors
        /// The assignments of entries to clusters.
        case assignments
        /// Clusters.
        case clusters
        /// The records of sources. The next ingest of these sources treats them as new.
        case sources
        /// The record of the last clustering run.
        case run
        /// Original files.
        case originals
        /// Lists of original files. The number of files in a list is unknown.
        case originalLists
    }

    /// The kind of data that is missing.
    public var part: Part
    /// The number of missing parts.
    public var count: Int
    /// The ids of entries and clusters and the digests of original files, as far as they are known.
    public var names: [String]

    init(_ part: Part, count: Int = 1) { (self.part, self.count, names) = (part, count, []) }

    init(_ part: Part, names: [String]) { (self.part, count, self.names) = (part, names.count, names) }
}

/// The reason why a backup could not be created, read, restored or pruned.
public struct BackupError: LocalizedError, Sendable, CustomStringConvertible {
    /// The kind of error. Treat an unknown code as permanent damage.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the code, which never changes.
        public let rawValue: String
        /// Creates a code from its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The repository or the snapshot does not exist, or a given name matches several snapshots.
        public static let notFound = Code(rawValue: "notFound")
        /// The target already contains a repository, entries or other files.
        public static let exists = Code(rawValue: "exists")
        /// An object of the repository is corrupt or missing.
        public static let damaged = Code(rawValue: "damaged")
        /// A newer version of Roost wrote the repository or the snapshot.
        public static let newerFormat = Code(rawValue: "newerFormat")
        /// The passphrase is missing or wrong, or was given for a repository that is not encrypted.
        public static let wrongPassphrase = Code(rawValue: "wrongPassphrase")
        /// Another process holds a conflicting lock on the repository.
        public static let locked = Code(rawValue: "locked")
        /// An argument is invalid.
        public static let badInput = Code(rawValue: "badInput")
    }

    /// The kind of error.
    public let code: Code
    /// One sentence that names the operation, its object and the cause.
    public let message: String
    /// Whether the same call can succeed later without any other change.
    public let isRetryable: Bool
    /// An action that may correct the cause; a program describes it to the user in its own words.
    public let remedy: Remedy?

    /// Creates an error.
    public init(_ code: Code, _ message: String, isRetryable: Bool = false, remedy: Remedy? = nil) {
        (self.code, self.message, self.isRetryable, self.remedy) = (code, message, isRetryable, remedy)
    }

    public var description: String { message }

    public var errorDescription: String? { message }
}

extension ChunkStorageError {
    /// Whether the error means that the stored bytes are corrupt, as opposed to the storage being
    /// unreachable.
    var isDamage: Bool {
        switch self {
        case .corrupt, .tooLarge: true
        default: false
        }
    }

    /// Whether the error may come from a failed write to a storage that can still be read.
    var isRefusedWrite: Bool {
        switch self {
        case .storageUnavailable, .storageFull, .readOnly: true
        default: false
        }
    }
}
