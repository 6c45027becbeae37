package import Foundation
package import Roost
package import RoostChunks
import RoostConversations
import RoostFiles
package import RoostModel

package struct StatusDocument: Codable, Sendable {
    /// The conversation that the server is limited to.
    package struct Scope: Codable, Sendable {
        package var user: String
        package var session: String
        package var agent: String
    }

    package var version: String
    package var store: String
    /// The id of the store's history; a restore begins another one.
    package var epoch: String
    package var revision: Int
    /// The number of visible entries, including messages of conversations.
    package var entries: Int
    package var messages: Int?
    /// The number of clusters of all levels.
    package var clusters: Int?
    package var reclusteredAt: String?
    package var model: String
    package var dimension: Int
    /// The size of the files of the store.
    package var bytes: Int?
    package var readOnly: Bool
    package var timeZone: String
    /// The tags, the folder and the conversation that limit the visible part.
    package var tags: [String]?
    package var folder: String?
    package var conversation: Scope?
}

struct ReadStatus: Operation {
    typealias Output = StatusDocument

    static let name = "status"
    static let summary = "Show the size and the contents of the store."
    static let access = OperationAccess(.reads, .texts)
    static let route = OperationRoute(.get, "/status")
    static let parameters: [Argument] = []

    func run(in context: OperationContext) async throws -> StatusDocument {
        try await StatusDocument(
            of: context.store, context.snapshot, in: context.operations.directory, under: context.rules,
            version: context.operations.version)
    }
}

extension StorageSnapshot {
    func count(matching filter: EntryFilter) async throws -> Int {
        filter.matchesAll ? stamp.entryCount : try await rows(matching: filter).count
    }
}

extension StatusDocument {
    /// Describes the part of a store that rules permit to see. The folder is `nil` for a store without one.
    package init(
        of store: KnowledgeStore, _ snapshot: any StorageSnapshot, in directory: URL?,
        under rules: AccessRules = AccessRules(), version: String
    ) async throws {
        let (stamp, space) = (snapshot.stamp, store.embedder.space)
        var entries = 0
        for filter in rules.restricting() { entries += try await snapshot.count(matching: filter) }
        self.init(
            version: version, store: stamp.store.text, epoch: stamp.epoch.text,
            revision: Int(stamp.revision.rawValue), entries: entries, model: space.model,
            dimension: space.dimension, readOnly: rules.isReadOnly || store.isReadOnly,
            timeZone: TimeZone.current.identifier)
        if rules.showsEverything {
            clusters = stamp.clusterCount
            bytes = directory.map(Self.size)
            reclusteredAt = try await snapshot.clusteringRun().map { DateText.string(from: $0.createdAt) }
        }
        if rules.showsMessages {
            let filter = rules.scope.map { ConversationMemory.Filter($0) } ?? .all
            messages = try await snapshot.count(matching: filter.entries)
        }
        if !rules.tags.isEmpty { tags = rules.tags.sorted() }
        folder = rules.sourcePrefix
        conversation = rules.scope.map { Scope(user: $0.userId, session: $0.sessionId, agent: $0.agentId) }
    }
}

extension StatusDocument {
    private static func size(of folder: URL) -> Int {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.fileSizeKey])
        return (files?.allObjects as? [URL] ?? []).reduce(0) { sum, url in
            sum + ((try? url.resourceValues(forKeys: [.fileSizeKey]))?.fileSize ?? 0)
        }
    }
}

struct CheckStore: Operation {
    struct Output: Codable, Sendable {
        var findings: [StorageFinding]
    }

    static let name = "check"
    static let summary = "Check the store for damage, without changing it."
    static let details =
        "Reads all files, which takes a while for a large store. A finding with the severity 'damage' is lost or "
        + "invalid data; `roost doctor --repair` repairs it."
    static let access = OperationAccess(.reads, .everything)
    static let route = OperationRoute(.get, "/check")
    static let parameters: [Argument] = []

    /// Many requests must not read all files at the same time.
    private static let queue = TaskQueue()

    func run(in context: OperationContext) async throws -> Output {
        guard let directory = context.operations.directory else {
            throw OperationError("the store has no folder that could be checked", .conflict)
        }
        return try await Self.queue.run {
            var inspection = StoreInspector(directory)
            inspection.backups = context.operations.backups
            let findings = try await inspection.inspect()
            return Output(findings: findings + (await inspection.inspect(context.store.embedder)))
        }
    }
}

struct ListSources: Operation {
    struct SourceDocument: Codable, Sendable {
        /// The id, for a file its URL.
        var id: String
        var ingestedAt: String
    }

    struct Output: Codable, Sendable {
        var sources: [SourceDocument]
        var count: Int
        var nextCursor: String?
    }

    var limit: Int?

    static let name = "sources"
    static let summary =
        "List the files and other sources from which entries were ingested, in the order of their ids."
    static let access = OperationAccess(.reads, .everything)
    static let route = OperationRoute(.get, "/sources")
    static let parameters = OperationContext.pageParameters(maximum: 10_000, standard: 1_000)

    func run(in context: OperationContext) async throws -> Output {
        let offset = try context.position() ?? 0
        let all = try await context.snapshot.sources()
        let page = all.dropFirst(offset).prefix(limit ?? 1_000).map {
            SourceDocument(id: $0.id, ingestedAt: DateText.string(from: $0.ingestedAt))
        }
        let end = offset + page.count
        return Output(
            sources: page, count: all.count, nextCursor: end < all.count ? context.cursor(end) : nil)
    }
}

// MARK: Undo

struct UndoDocument: Codable, Sendable {
    /// The name of the change that was undone.
    var command: String
    var date: String
    /// The numbers of entries that the undo removes and restores.
    var removed: Int
    var restored: Int
    var restoresClusters: Bool
}

struct UndoChange: Operation {
    typealias Output = UndoDocument

    var dryRun: Bool?

    static let name = "undo"
    static let summary = "Undo the last change of the store."
    static let details =
        "A change can be undone if nothing else has changed the same entries, sources and clusters since."
    static let access = OperationAccess(.changes, .everything)
    static let route = OperationRoute(.post, "/undo")
    static let parameters = [Argument("dryRun", Schema.flag("Whether only to report what would be undone."))]

    func run(in context: OperationContext) async throws -> UndoDocument {
        let report = try await context.store.undo(isDryRun: dryRun ?? false)
        return UndoDocument(
            command: report.command, date: DateText.string(from: report.date), removed: report.removed,
            restored: report.restored, restoresClusters: report.restoresClusters)
    }
}

// MARK: Backups

extension OperationContext {
    fileprivate func backup() throws(OperationError) -> StoreBackup {
        guard let directory = operations.directory else {
            throw OperationError("the store has no folder, so it has no backups", .conflict)
        }
        return StoreBackup(directory, operations.backups)
    }
}

package struct CreatedSnapshotDocument: Codable, Sendable {
    package var snapshot: String
    package var writtenBytes: Int
    package var encrypted: Bool
    /// The folder or address of the repository; only the command names it.
    package var repository: String?
    /// The digests of corrupt original files, which the snapshot lacks.
    package var damagedDocuments: [String]

    package init(_ report: BackupReport, encrypted: Bool, repository: String? = nil) {
        (snapshot, writtenBytes) = (report.snapshot.id, report.writtenBytes)
        (self.encrypted, self.repository) = (encrypted, repository)
        damagedDocuments = report.damagedDocuments
    }
}

package struct SnapshotDocument: Codable, Sendable {
    package var id: String
    package var createdAt: String
    package var tags: [String]
    package var entries: Int
    package var clusters: Int
    package var documents: Int

    package init(_ snapshot: BackupSnapshot) {
        (id, createdAt) = (snapshot.id, DateText.string(from: snapshot.created))
        (tags, documents) = (snapshot.tags, snapshot.originalCount)
        (entries, clusters) = (snapshot.stamp.entryCount, snapshot.stamp.clusterCount)
    }
}

struct CreateBackup: Operation {
    typealias Output = CreatedSnapshotDocument

    static let name = "create_backup"
    static let summary = "Create a snapshot in the store's own backup repository."
    static let details =
        "The answer comes when the snapshot is complete. The first backup creates the repository, which is "
        + "encrypted if the server was started with a passphrase for backups."
    static let access = OperationAccess(.adds, .everything)
    static let route = OperationRoute(.post, "/backups")
    static let parameters: [Argument] = []

    func run(in context: OperationContext) async throws -> Output {
        let backup = try context.backup()
        let repository = try await backup.openOrCreateOwn()
        let report = try await backup.create(in: repository, tags: ["server"])
        return Output(report, encrypted: repository.isEncrypted)
    }
}

struct ListBackups: Operation {
    struct Output: Codable, Sendable {
        var backups: [SnapshotDocument]
        /// The ids of snapshots that are damaged or have a newer format.
        var unreadable: [String]
    }

    static let name = "backups"
    static let summary = "List the snapshots of the store's own backup repository, oldest first."
    static let access = OperationAccess(.reads, .everything)
    static let route = OperationRoute(.get, "/backups")
    static let parameters: [Argument] = []

    func run(in context: OperationContext) async throws -> Output {
        let backup = try context.backup()
        // The folder of a store that was moved away has no backups either, but this is another problem.
        _ = try StoreManifest.read(in: backup.directory)
        // A store without backups has no repository, and listing must not create one.
        guard FileManager.default.fileExists(atPath: backup.ownRepository.path) else {
            return Output(backups: [], unreadable: [])
        }
        let list = try await backup.openOrCreateOwn().snapshotList()
        return Output(
            backups: list.snapshots.map(SnapshotDocument.init), unreadable: list.unreadable.map(\.id))
    }
}
