import Foundation
import HTTPTypes
import Roost
import RoostBackups
import RoostMCP
import RoostModel

/// The routes of jobs and backups.
enum JobRoutes {
    private static let id = Parameter.path("id", Schema.id("The id of the job."))
    private static let job = Route.Body.json(Schema.reference("Job"))

    static let all = [list, get, cancel, events, createBackup, listBackups]

    /// Returns the answer to a request that has started a job.
    static func accepted(_ job: Job, _ call: Call) -> Reply {
        let path = call.context.settings.basePath.appending("/api/v1/jobs/\(job.id.text)")
        return .json(job.json, .accepted).with("Location", path)
    }

    private static let list = Route(
        method: .get, path: "/api/v1/jobs", operation: "listJobs", tag: "Jobs",
        summary: "List jobs, newest first.",
        answers: [
            Route.Answer(
                200, "The jobs.",
                .json(
                    Schema.object(
                        named: "JobList", ["jobs": Schema.array(of: Schema.reference("Job"), "The jobs.")],
                        required: ["jobs"], isOpen: true)))
        ]
    ) { call in .json(["jobs": .array(await call.context.jobs.all.map(\.json))]) }

    private static func find(_ call: Call) async throws -> Job {
        let id = try call.id("id", of: "job")
        guard let job = await call.context.jobs.job(id) else {
            throw Problem.notFound("no job has the id \(id.text)")
        }
        return job
    }

    private static let get = Route(
        method: .get, path: "/api/v1/jobs/{id}", operation: "getJob", tag: "Jobs", summary: "Return a job.",
        parameters: [id], answers: [Route.Answer(200, "The job.", job)]
    ) { call in .json(try await find(call).json) }

    private static let cancel = Route(
        method: .delete, path: "/api/v1/jobs/{id}", operation: "cancelJob", tag: "Jobs",
        summary: "Cancel a job.",
        details: "A job that has ended is not changed. A job of another server of the same store can only be "
            + "canceled there.", effect: .writes,
        parameters: [id], answers: [Route.Answer(202, "The job will end soon.", job)]
    ) { call in
        let job = try await find(call)
        try await call.context.jobs.cancel(job)
        return .json(job.json, .accepted)
    }

    private static let events = Route(
        method: .get, path: "/api/v1/jobs/{id}/events", operation: "watchJob", tag: "Jobs",
        summary: "Follow a job until it ends.",
        details: "Each event `job` has the state of the job as JSON. The stream ends with the job.",
        isStream: true, parameters: [id], answers: [Route.Answer(200, "The states.", .events)]
    ) { call in
        let job = try await find(call)
        guard let updates = await call.context.jobs.updates(of: job.id) else {
            throw Problem.notFound("no job has the id \(job.id.text)")
        }
        return .stream(type: "text/event-stream", watching: call.request) { writer in
            try await EventStream(writer).send { send in
                for await job in updates {
                    try await send(EventStream.Event(name: "job", data: job.json))
                }
            }
        }
    }

    // MARK: Backups

    private static let createBackup = Route(
        method: .post, path: "/api/v1/backups", operation: "createBackup", tag: "Backups",
        summary: "Create a snapshot in the store's own backup repository.",
        details: "The backup is a job; see /api/v1/jobs/{id}. The first backup creates the "
            + "repository, which is encrypted if the server was started with a passphrase for backups. In "
            + "the result of the job, `damagedDocuments` lists the SHA-256 digests of corrupt original "
            + "files, which the snapshot lacks.",
        effect: .writes,
        answers: [
            Route.Answer(202, "The job has begun.", job, headers: ["Location": "The address of the job."])
        ]
    ) { call in
        let backup = try backup(of: call)
        let passphrase = call.context.settings.backupPassphrase
        let job = try await call.context.jobs.start("backup") { progress in
            let repository = try await backup.openOrCreateOwn(passphrase: passphrase)
            let report = try await backup.create(in: repository, tags: ["server"]) { done, total in
                progress(Double(done) / Double(max(1, total)), nil)
            }
            return [
                "snapshot": .string(report.snapshot.id), "writtenBytes": .count(report.writtenBytes),
                "encrypted": .bool(repository.isEncrypted),
                "damagedDocuments": .array(report.damagedDocuments.map { .string($0) }),
            ]
        }
        return accepted(job, call)
    }

    private static let listBackups = Route(
        method: .get, path: "/api/v1/backups", operation: "listBackups", tag: "Backups",
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
