import ArgumentParser
import Foundation
import Roost
import RoostRemote

struct PullModel: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pull", abstract: "Download a model and install it.",
        discussion: """
            NAME is a repository of the Hugging Face hub, such as sentence-transformers/all-MiniLM-L6-v2, or \
            of another server with the same URL paths. An interrupted download resumes; each file is checked \
            against the checksum of the hub. For models that require a token, set $HF_TOKEN.

            Examples:
              roost model pull BAAI/bge-small-en-v1.5
              roost model pull intfloat/e5-small-v2 --query-prefix 'query: '
              roost model pull team/model --from https://hub.example --revision v2
            """)

    @Argument(help: ArgumentHelp("The repository of the model.", valueName: "NAME"))
    var name: String

    @Option(name: .long, help: "The URL of the hub. Default: $HF_ENDPOINT, else https://huggingface.co.")
    var from: String?

    @Option(name: .long, help: "The branch, tag or commit to download.")
    var revision = "main"

    @OptionGroup var prefixes: PrefixOptions

    @Flag(name: .shortAndLong, help: "Print only errors.")
    var quiet = false

    func run() async throws {
        guard ModelHub.isName(name) else {
            throw CommandError(
                .usage,
                "invalid model name '\(Terminal.line(name, limit: 80))'; give the name of a repository, such "
                    + "as BAAI/bge-small-en-v1.5")
        }
        let environment = ProcessInfo.processInfo.environment
        func given(_ variable: String) -> String? { environment[variable].flatMap { $0.isEmpty ? nil : $0 } }
        let hub = try ModelHub(
            address: from ?? given("HF_ENDPOINT") ?? ModelHub.defaultAddress,
            token: given("HF_TOKEN").flatMap { Secret($0) }, environment: environment)
        let models = UserDirectories().models
        // The path of this folder is fixed, so that an interrupted download can be resumed. Its last
        // component becomes the model's name.
        let staging = models.directory.appendingPathComponent(".pull/\(name)")
        let progress = Progress(isQuiet: quiet, unit: "kB")
        try await hub.fetch(name, revision: revision, files: ModelFolder.files, into: staging) {
            done, total in
            progress.update(done / 1000, fraction: total > 0 ? Double(done) / Double(total) : 0)
        }
        progress.finish()
        let added = try models.add(
            staging, queryPrefix: prefixes.queryPrefix, documentPrefix: prefixes.documentPrefix)
        try? FileManager.default.removeItem(at: staging)
        if !quiet {
            Terminal.write(
                "installed \(added) in \(models.directory.path); use it with `roost init --model \(added)`")
        }
    }
}
