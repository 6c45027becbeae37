import Foundation
import RoostMCP
import RoostModel

/// Work that runs in the background, such as a clustering run.
struct Job: Codable, Sendable, Identifiable, Equatable {
    /// The state of a job.
    enum State: String, Codable, Sendable, CaseIterable {
        case running, succeeded, failed, canceled
        /// The server ended before the job did. The store contains either the complete result or no change.
        case interrupted
    }

    var id = UUID()
    /// The kind of work, such as `recluster`.
    var kind: String
    var state = State.running
    var createdAt = Date()
    var finishedAt: Date?
    /// The finished share of the work, from 0 to 1.
    var progress = 0.0
    /// The current step of the work, such as `finding groups`; `nil` if it has no steps.
    var step: String?
    /// The result of a job that succeeded.
    var result: JSONValue?
    /// The reason why the job failed.
    var failure: String?
    /// The process that runs the job.
    var process = getpid()
    /// The server that runs the job, whose lock shows whether it still exists; `nil` if its folder cannot be
    /// locked, or in records of older versions.
    var server: UUID?

    /// The JSON form of answers.
    var json: JSONValue {
        var members: [String: JSONValue] = [
            "id": .string(id.text), "kind": .string(kind), "state": .string(state.rawValue),
            "createdAt": .string(DateText.string(from: createdAt)), "progress": .number(progress),
        ]
        if let finishedAt { members["finishedAt"] = .string(DateText.string(from: finishedAt)) }
        members["step"] = step.map { .string($0) }
        members["result"] = result
        members["failure"] = failure.map { .string($0) }
        return .object(members)
    }

    /// The schema of ``json``.
    static let schema = Schema.object(
        [
            "id": Schema.id("The id of the job."),
            "kind": Schema.string("The kind of work: recluster or backup."),
            "state": Schema.choice(State.allCases.map(\.rawValue), "The state."),
            "createdAt": Schema.time("When the job began."),
            "finishedAt": Schema.time("When the job ended."),
            "progress": Schema.number("The finished share of the work.", 0...1),
            "step": Schema.string("The current step of the work, such as `finding groups`."),
            "result": Schema.map("The result of a job that succeeded."),
            "failure": Schema.string("The reason why the job failed."),
        ], required: ["id", "kind", "state", "createdAt", "progress"], isOpen: true,
        "A task that runs in the background.")
}
