import Foundation
import Roost
import RoostRemote

/// A download of a model from a hub into the user's models.
struct ModelPull {
    /// The repository of the default model.
    static let standardName = "sentence-transformers/all-MiniLM-L6-v2"
    /// The size of the files of the default model that Roost downloads, in megabytes.
    static let standardSize = 92

    let name: String
    var revision = "main"
    var queryPrefix: String?
    var documentPrefix: String?
    private let hub: ModelHub

    /// Creates a download.
    ///
    /// - Parameter address: The URL of the hub; `nil` for that of $HF_ENDPOINT, else the Hugging Face Hub.
    /// - Throws: `CommandError` with `.usage` if the name is invalid; `EmbedderError` with `.configuration` if
    ///   the address is invalid.
    init(_ name: String = standardName, from address: String? = nil) throws {
        guard ModelHub.isName(name) else {
            throw CommandError(
                .usage,
                "invalid model name '\(Terminal.line(name, limit: 80))'; give the name of a repository, such "
                    + "as BAAI/bge-small-en-v1.5")
        }
        self.name = name
        let environment = ProcessInfo.processInfo.environment
        func given(_ variable: String) -> String? { environment[variable].flatMap { $0.isEmpty ? nil : $0 } }
        hub = try ModelHub(
            address: address ?? given("HF_ENDPOINT") ?? ModelHub.defaultAddress,
            token: given("HF_TOKEN").flatMap { Secret($0) }, environment: environment)
    }

    /// The name of the server.
    var host: String { Terminal.line(hub.address.host ?? hub.address.absoluteString, limit: 80) }

    /// Downloads the model, shows the progress, and installs the model.
    ///
    /// - Returns: The name of the installed model.
    /// - Throws: `EmbedderError`; `CommandError` with `.interrupted`, after which the next download resumes.
    func run(isQuiet: Bool) async throws -> String {
        let models = UserDirectories().models
        // The path of this folder is fixed, so that an interrupted download can be resumed. Its last
        // component becomes the model's name.
        let staging = models.directory.appendingPathComponent(".pull/\(name)")
        let progress = Progress(isQuiet: isQuiet, unit: "kB")
        let message = "stopped: run the same command again to resume the download"
        try await progress.untilStopped(message) {
            try await progress.during("waiting for \(host)") {
                try await hub.fetch(name, revision: revision, files: ModelFolder.files, into: staging) {
                    done, total in
                    progress.update(done / 1000, fraction: total > 0 ? Double(done) / Double(total) : 0)
                }
            }
        }
        let added = try models.add(staging, queryPrefix: queryPrefix, documentPrefix: documentPrefix)
        try? FileManager.default.removeItem(at: staging)
        return added
    }
}
