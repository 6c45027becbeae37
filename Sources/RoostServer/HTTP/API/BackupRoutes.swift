import Foundation
import HTTPTypes
import Roost
import RoostBackups
import RoostModel

enum BackupRoutes {
    private static let tag = "Backups"

    static let all = [create, list]

    private static let create = Route(
        method: .post, path: "/api/v1/backups", operation: "createBackup", tag: tag,
        summary: "Create a snapshot in the store's own backup repository.",
        details:
            "The answer comes when the snapshot is complete. The first backup creates the repository, which "
            + "is encrypted if the server was started with a passphrase for backups.",
        effect: .writes,
        answers: [
            Route.Answer(
                200, "The snapshot.",
                .json(
                    Schema.object(
                        named: "BackupReport",
                        [
                            "snapshot": Schema.string("The id of the snapshot."),
                            "writtenBytes": Schema.integer("The number of bytes that were written."),
                            "encrypted": Schema.flag("Whether the repository is encrypted."),
                            "damagedDocuments": Schema.array(
                                of: Schema.string("A SHA-256 digest."),
                                "The corrupt original files, which the snapshot lacks."),
                        ],
                        required: ["snapshot", "writtenBytes", "encrypted", "damagedDocuments"], isOpen: true)
                ))
        ]
    ) { call in
        let backup = try backup(of: call)
        let repository = try await backup.openOrCreateOwn(passphrase: call.context.settings.backupPassphrase)
        let report = try await backup.create(in: repository, tags: ["server"])
        return .json([
            "snapshot": .string(report.snapshot.id), "writtenBytes": .count(report.writtenBytes),
            "encrypted": .bool(repository.isEncrypted),
            "damagedDocuments": .array(report.damagedDocuments.map { .string($0) }),
        ])
    }

    private static let list = Route(
        method: .get, path: "/api/v1/backups", operation: "listBackups", tag: tag,
        summary: "List the snapshots of the store's own backup repository, oldest first.",
        answers: [
            Route.Answer(
                200, "The snapshots.",
                .json(
                    Schema.object(
                        named: "BackupList",
                        [
                            "backups": Schema.array(
                                of: Schema.object(
                                    named: "Backup",
                                    [
                                        "id": Schema.string("The id."),
                                        "createdAt": Schema.time("When the snapshot was created."),
                                        "tags": Schema.array(of: Schema.string("A tag."), "The tags."),
                                    ], required: ["id", "createdAt", "tags"], isOpen: true),
                                "The snapshots."),
                            "unreadable": Schema.array(
                                of: Schema.string("The id of a snapshot."),
                                "The snapshots that are damaged or have a newer format."),
                        ], required: ["backups", "unreadable"], isOpen: true)))
        ]
    ) { call in
        let backup = try backup(of: call)
        // The folder of a store that was moved away has no backups either, but this is another problem.
        _ = try StoreManifest.read(in: backup.directory)
        // A store without backups has no repository, and listing must not create one.
        guard FileManager.default.fileExists(atPath: backup.ownRepository.path) else {
            return .json(["backups": [], "unreadable": []])
        }
        let passphrase = call.context.settings.backupPassphrase
        let list = try await backup.openOrCreateOwn(passphrase: passphrase).snapshotList()
        return .json([
            "backups": .array(
                list.snapshots.map { snapshot in
                    [
                        "id": .string(snapshot.id),
                        "createdAt": .string(DateText.string(from: snapshot.created)),
                        "tags": .array(snapshot.tags.map { .string($0) }),
                    ]
                }),
            "unreadable": .array(list.unreadable.map { .string($0.id) }),
        ])
    }

    private static func backup(of call: Call) throws(Problem) -> StoreBackup {
        guard let directory = call.context.settings.directory else {
            throw Problem(.conflict, "noFolder", "the store has no folder, so it has no backups")
        }
        return StoreBackup(directory)
    }
}
